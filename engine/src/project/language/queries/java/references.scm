; Names that a file uses: methods and types.

(method_invocation name: (identifier) @reference)
(marker_annotation name: (identifier) @reference)
(annotation name: (identifier) @reference)
(type_identifier) @reference
