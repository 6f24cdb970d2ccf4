; Modules that a file names. `source` is a module of a plain import; `from` is the module of a from-import and `name` each
; name taken from it, which may itself be a module.

(import_statement name: (dotted_name) @source)
(import_statement name: (aliased_import name: (dotted_name) @source))
(import_from_statement module_name: (_) @from name: (dotted_name) @name)
(import_from_statement module_name: (_) @from name: (aliased_import name: (dotted_name) @name))
(import_from_statement module_name: (_) @from (wildcard_import))
