; Definitions of Lua. Captures as in the JavaScript query; `qualified` is a name of which the last segment counts and the rest
; is the owner.

(function_declaration name: (identifier) @name) @symbol.function
(function_declaration name: (dot_index_expression) @qualified) @symbol.function
(function_declaration name: (method_index_expression) @qualified) @symbol.method
(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition) .)) @symbol.function
(assignment_statement
  (variable_list . name: (dot_index_expression) @qualified .)
  (expression_list . value: (function_definition) .)) @symbol.function
(field name: (identifier) @name value: (function_definition)) @symbol.function

; What stands around a definition and belongs to it: `inner` is the definition, `wrap` the whole.
(variable_declaration . (assignment_statement) @inner .) @wrap
