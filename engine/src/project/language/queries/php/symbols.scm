; Definitions of PHP. Captures as in the JavaScript query.

(namespace_definition name: (namespace_name) @name !body) @symbol.module @rest
(namespace_definition name: (namespace_name) @name body: (_)) @symbol.module
(class_declaration name: (name) @name) @symbol.class
(interface_declaration name: (name) @name) @symbol.interface
(trait_declaration name: (name) @name) @symbol.trait
(enum_declaration name: (name) @name) @symbol.enum
(enum_case name: (name) @name) @symbol.constant
(function_definition name: (name) @name) @symbol.function
(method_declaration name: (name) @name) @symbol.method
(const_declaration (const_element (name) @name)) @symbol.constant
(property_declaration (property_element name: (variable_name (name) @name))) @symbol.property
