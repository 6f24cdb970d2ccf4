; Definitions of Swift. Captures as in the JavaScript query; an extension is a scope under its type's name.

(class_declaration declaration_kind: "class" name: (_) @name) @symbol.class
(class_declaration declaration_kind: "actor" name: (_) @name) @symbol.class
(class_declaration declaration_kind: "struct" name: (_) @name) @symbol.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @symbol.enum
(class_declaration declaration_kind: "extension" name: (_) @name) @scope
(protocol_declaration name: (type_identifier) @name) @symbol.interface
(function_declaration name: (simple_identifier) @name) @symbol.function
(protocol_function_declaration name: (simple_identifier) @name) @symbol.function
(init_declaration name: "init" @name) @symbol.method
(enum_entry name: (simple_identifier) @name) @symbol.constant
(typealias_declaration name: (type_identifier) @name) @symbol.type
(associatedtype_declaration name: (type_identifier) @name) @symbol.type
(source_file (property_declaration name: (pattern (simple_identifier) @name)) @symbol.variable)
(class_body (property_declaration name: (pattern (simple_identifier) @name) computed_value: (_)? @body) @symbol.property)
(enum_class_body (property_declaration name: (pattern (simple_identifier) @name) computed_value: (_)? @body) @symbol.property)
(protocol_property_declaration name: (pattern (simple_identifier) @name)) @symbol.property
