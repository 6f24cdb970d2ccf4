; Modules that a file names: import and re-export, side-effect import, dynamic import, require. `import.source` is the specifier.

(import_statement source: (string (string_fragment) @import.source))
(export_statement source: (string (string_fragment) @import.source))
(call_expression
  function: (import)
  arguments: (arguments . (string (string_fragment) @import.source)))
(call_expression
  function: (identifier) @_callee
  arguments: (arguments . (string (string_fragment) @import.source))
  (#eq? @_callee "require"))
(import_require_clause source: (string (string_fragment) @import.source))
