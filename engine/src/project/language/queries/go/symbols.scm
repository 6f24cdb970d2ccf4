; Definitions of Go. Captures as in the JavaScript query; `owner` is the receiver's type of a method.

(function_declaration name: (identifier) @name) @symbol.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))
  ]))
  name: (field_identifier) @name) @symbol.method
(type_declaration (type_spec name: (type_identifier) @name type: (struct_type)) @symbol.struct)
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @symbol.interface)
(type_declaration (type_spec name: (type_identifier) @name) @symbol.type)
(type_declaration (type_alias name: (type_identifier) @name) @symbol.type)
(source_file (const_declaration (const_spec name: (identifier) @name) @symbol.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @symbol.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @symbol.variable)))

; What stands around a definition and belongs to it: `inner` is the definition, `wrap` the whole.
(type_declaration . [(type_spec) (type_alias)] @inner .) @wrap
(const_declaration . (const_spec) @inner .) @wrap
(var_declaration . (var_spec) @inner .) @wrap
