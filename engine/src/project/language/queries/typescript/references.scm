; Names that a file uses: what it calls, makes, extends and annotates with, and what it imports.

(call_expression function: (identifier) @reference)
(call_expression function: (member_expression property: (property_identifier) @reference))
(new_expression constructor: (identifier) @reference)
(class_heritage (extends_clause value: (identifier) @reference))
(decorator (identifier) @reference)
(decorator (call_expression function: (identifier) @reference))
(type_identifier) @reference
(import_specifier name: (identifier) @reference)
