; Modules that a file names. `import.source` is a module of a plain import; `import.from` is the module of a from-import and `import.name` each
; name taken from it, which may itself be a module.

(import_statement name: (dotted_name) @import.source)
(import_statement name: (aliased_import name: (dotted_name) @import.source))
(import_from_statement module_name: (_) @import.from name: (dotted_name) @import.name)
(import_from_statement module_name: (_) @import.from name: (aliased_import name: (dotted_name) @import.name))
(import_from_statement module_name: (_) @import.from (wildcard_import))
