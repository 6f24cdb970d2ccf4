; Definitions of Dart. Captures as in the JavaScript query; the name of a `constructor` ends at its
; parenthesis.

(class_declaration name: (identifier) @name) @symbol.class
(mixin_declaration name: (identifier) @name) @symbol.class
(extension_declaration name: (identifier) @name) @symbol.class
(extension_type_declaration name: (identifier) @name) @symbol.class
(enum_declaration name: (identifier) @name) @symbol.enum
(enum_entry name: (identifier) @name) @symbol.constant
(type_alias (type_identifier) @name) @symbol.type
(function_declaration signature: (function_signature name: (identifier) @name)) @symbol.function
(getter_declaration signature: (getter_signature name: (identifier) @name)) @symbol.function
(setter_declaration signature: (setter_signature name: (identifier) @name)) @symbol.function
(method_declaration signature: (method_signature [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
])) @symbol.method
(method_declaration signature: (method_signature [(constructor_signature) (factory_constructor_signature)] @name)) @symbol.constructor
(declaration (function_signature name: (identifier) @name)) @symbol.method
(declaration [
  (constructor_signature) (constant_constructor_signature) (factory_constructor_signature)
  (redirecting_factory_constructor_signature)
] @name) @symbol.constructor
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration name: (identifier) @name))) @symbol.constant
