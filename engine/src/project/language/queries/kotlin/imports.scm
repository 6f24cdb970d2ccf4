; Classes, members and packages that a file names. `import.text` is the whole declaration.

(import) @import.text
