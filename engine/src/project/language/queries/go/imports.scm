; Packages that a file names. `import.source` is the path with its quotes.

(import_spec path: [(interpreted_string_literal) (raw_string_literal)] @import.source)
