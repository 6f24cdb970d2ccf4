; Definitions of Python. Captures as in the JavaScript query.

(class_definition name: (identifier) @name) @symbol.class
(function_definition name: (identifier) @name) @symbol.function
(module (expression_statement (assignment left: (identifier) @name) @symbol.constant))
(module (type_alias_statement left: (type (identifier) @name)) @symbol.type)

; What stands around a definition and belongs to it: `inner` is the definition, `wrap` the whole.
(decorated_definition definition: (_) @inner) @wrap
(expression_statement . (assignment) @inner .) @wrap
