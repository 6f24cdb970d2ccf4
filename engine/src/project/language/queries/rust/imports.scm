; Paths that a file names: `use` trees, which are expanded, and modules declared in files of their own, whose file an
; attribute may name (`import.path`, for the module `import.placed`).

(use_declaration argument: (_) @import.use)
(mod_item name: (identifier) @import.module !body)
((attribute_item (attribute (identifier) @_path value: (string_literal (string_content) @import.path)))
  . (mod_item name: (identifier) @import.placed !body)
  (#eq? @_path "path"))
(extern_crate_declaration name: (identifier) @import.source)
