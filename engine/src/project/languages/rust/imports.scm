; Paths that a file names: `use` trees, which are expanded, and modules declared in files of their own.

(use_declaration argument: (_) @use)
(mod_item name: (identifier) @module !body)
