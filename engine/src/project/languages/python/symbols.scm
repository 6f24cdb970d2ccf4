; Definitions of Python. Captures as in the JavaScript query.

(class_definition name: (identifier) @name) @symbol.class
(function_definition name: (identifier) @name) @symbol.function
(module (expression_statement (assignment left: (identifier) @name) @symbol.constant))
(module (type_alias_statement left: (type (identifier) @name)) @symbol.type)
