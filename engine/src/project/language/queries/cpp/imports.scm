; Files that a file includes. `import.include` keeps its quotes or angle brackets.

(preproc_include path: [(string_literal) (system_lib_string)] @import.include)
