; Definitions of C#. Captures as in the JavaScript query; `rest` marks a definition that holds to the end of the file, `body`
; where a head ends that has no field of that name.

(namespace_declaration name: (_) @name) @symbol.module
(file_scoped_namespace_declaration name: (_) @name) @symbol.module @rest
(class_declaration name: (identifier) @name) @symbol.class
(record_declaration name: (identifier) @name) @symbol.class
(struct_declaration name: (identifier) @name) @symbol.struct
(interface_declaration name: (identifier) @name) @symbol.interface
(enum_declaration name: (identifier) @name) @symbol.enum
(enum_member_declaration name: (identifier) @name) @symbol.constant
(delegate_declaration name: (identifier) @name) @symbol.type
(method_declaration name: (identifier) @name) @symbol.method
(constructor_declaration name: (identifier) @name) @symbol.method
(destructor_declaration name: (identifier) @name) @symbol.method
(local_function_statement name: (identifier) @name) @symbol.function
(property_declaration name: (identifier) @name accessors: (_) @body) @symbol.property
(property_declaration name: (identifier) @name value: (_) @body) @symbol.property
(event_declaration name: (identifier) @name accessors: (_) @body) @symbol.property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @symbol.property
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @symbol.field
