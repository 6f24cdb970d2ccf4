; Modules that a file names: import and re-export, side-effect import, dynamic import, require. `import.source` is the specifier,
; `import.arguments` a list that begins with it. Nothing below such a list is asked for: most lists are never looked into.

(import_statement source: (string (string_fragment) @import.source))
(export_statement source: (string (string_fragment) @import.source))
(call_expression function: (import) arguments: (arguments) @import.arguments)
(call_expression
  function: (identifier) @_callee
  arguments: (arguments) @import.arguments
  (#eq? @_callee "require"))
