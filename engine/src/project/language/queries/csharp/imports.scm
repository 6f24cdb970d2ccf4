; Namespaces and types that a file names. `import.text` is the whole directive.

(using_directive) @import.text
