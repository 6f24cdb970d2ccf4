; Modules that a file names: import and re-export, side-effect import, dynamic import, require. `source` is the specifier.

(import_statement source: (string (string_fragment) @source))
(export_statement source: (string (string_fragment) @source))
(call_expression
  function: (import)
  arguments: (arguments . (string (string_fragment) @source)))
(call_expression
  function: (identifier) @callee
  arguments: (arguments . (string (string_fragment) @source))
  (#eq? @callee "require"))
(import_require_clause source: (string (string_fragment) @source))
