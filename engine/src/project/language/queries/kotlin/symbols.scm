; Definitions of Kotlin. Captures as in the JavaScript query; `body` is where the head of a definition ends.

(class_declaration "interface" name: (identifier) @name [(class_body) (enum_class_body)]? @body) @symbol.interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name (enum_class_body)? @body) @symbol.enum
(class_declaration name: (identifier) @name [(class_body) (enum_class_body)]? @body) @symbol.class
(object_declaration name: (identifier) @name (class_body)? @body) @symbol.class
(companion_object name: (identifier) @name) @scope
(enum_entry (identifier) @name) @symbol.constant
(function_declaration name: (identifier) @name (function_body)? @body) @symbol.function
(source_file (property_declaration (variable_declaration (identifier) @name)) @symbol.variable)
(class_body (property_declaration (variable_declaration (identifier) @name)) @symbol.property)
(type_alias type: (identifier) @name) @symbol.type
