; Definitions of C++. Captures as in the JavaScript query; `qualified` is a name of which the last segment counts and the rest
; is the owner. A `prototype` is a function unless it stands inside one.

(namespace_definition name: (_) @name) @symbol.module
(class_specifier name: (type_identifier) @name body: (_)) @symbol.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @symbol.class
(class_specifier name: (qualified_identifier) @qualified body: (_)) @symbol.class
(struct_specifier name: (type_identifier) @name body: (_)) @symbol.struct
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @symbol.struct
(struct_specifier name: (qualified_identifier) @qualified body: (_)) @symbol.struct
(union_specifier name: (type_identifier) @name body: (_)) @symbol.union
(enum_specifier name: (type_identifier) @name body: (_)) @symbol.enum
(enumerator name: (identifier) @name) @symbol.constant
(concept_definition name: (identifier) @name) @symbol.type
(alias_declaration name: (type_identifier) @name) @symbol.type
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
]) @symbol.type

(function_definition declarator: [
  (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name)
  (function_declarator declarator: (qualified_identifier) @qualified)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier) @qualified))
  (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: (qualified_identifier) @qualified))
  (operator_cast) @name
]) @symbol.function
(declaration declarator: [
  (function_declarator declarator: [(identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @symbol.prototype
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @symbol.method

(translation_unit (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
])) @symbol.variable)
(preproc_ifdef (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
])) @symbol.variable)
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @symbol.variable)

(preproc_def name: (identifier) @name value: (_)) @symbol.macro
(preproc_function_def name: (identifier) @name) @symbol.macro

; What stands around a definition and belongs to it: `inner` is the definition, `wrap` the whole.
(template_declaration [
  (function_definition) (class_specifier) (struct_specifier) (union_specifier) (declaration) (alias_declaration)
  (concept_definition)
] @inner) @wrap
