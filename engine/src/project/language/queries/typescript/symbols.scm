; Definitions of TypeScript, with and without JSX. Captures as in the JavaScript query.

(class_declaration name: (type_identifier) @name) @symbol.class
(abstract_class_declaration name: (type_identifier) @name) @symbol.class
(class name: (type_identifier) @name) @symbol.class
(interface_declaration name: (type_identifier) @name) @symbol.interface
(enum_declaration name: (identifier) @name) @symbol.enum
(type_alias_declaration name: (type_identifier) @name) @symbol.type
(internal_module name: (_) @name) @symbol.module
(module name: (identifier) @name) @symbol.module

(function_declaration name: (identifier) @name) @symbol.function
(generator_function_declaration name: (identifier) @name) @symbol.function
(function_signature name: (identifier) @name) @symbol.function
(variable_declarator name: (identifier) @name value: (class)) @symbol.class
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @symbol.function

(method_definition name: [(property_identifier) (private_property_identifier)] @name) @symbol.method
(abstract_method_signature name: (property_identifier) @name) @symbol.method
(interface_declaration (interface_body (method_signature name: (property_identifier) @name) @symbol.method))
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name
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
(expression_statement . (internal_module) @inner .) @wrap
