; Definitions of JavaScript. A capture `symbol.<kind>` spans the definition, `name` its name; `scope` opens a parent
; without being a symbol of its own. The first pattern that matches a node wins.

(class_declaration name: (identifier) @name) @symbol.class
(class name: (identifier) @name) @symbol.class
(variable_declarator name: (identifier) @name value: (class)) @symbol.class

(function_declaration name: (identifier) @name) @symbol.function
(generator_function_declaration name: (identifier) @name) @symbol.function
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @symbol.function

(method_definition name: [(property_identifier) (private_property_identifier)] @name) @symbol.method
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @symbol.method
(pair
  key: (property_identifier) @name
  value: [(arrow_function) (function_expression)]) @symbol.method

(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function) (class)]) @symbol.function

(program (lexical_declaration (variable_declarator name: (identifier) @name) @symbol.constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @symbol.constant))
(program (export_statement
  declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @symbol.constant)))

; What stands around a definition and belongs to it: `inner` is the definition, `wrap` the whole.
(export_statement declaration: (_) @inner) @wrap
(export_statement value: (_) @inner) @wrap
(lexical_declaration . (variable_declarator) @inner .) @wrap
(variable_declaration . (variable_declarator) @inner .) @wrap
(expression_statement . (assignment_expression) @inner .) @wrap
