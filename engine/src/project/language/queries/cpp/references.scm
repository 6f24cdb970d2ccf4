; Names that a file uses: functions and types.

(call_expression function: (identifier) @reference)
(call_expression function: (field_expression field: (field_identifier) @reference))
(call_expression function: (qualified_identifier name: (identifier) @reference))
(template_function name: (identifier) @reference)
(type_identifier) @reference
