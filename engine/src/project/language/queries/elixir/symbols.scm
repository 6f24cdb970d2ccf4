; Definitions of Elixir, whose keywords are calls. Captures as in the JavaScript query; a capture that begins with an
; underscore is for predicates only.

(call
  target: (identifier) @_keyword
  (arguments . (alias) @name)
  (do_block)? @body
  (#any-of? @_keyword "defmodule" "defprotocol")) @symbol.module
(call
  target: (identifier) @_keyword
  (arguments . (alias) @name)
  (#eq? @_keyword "defimpl")) @scope
(call
  target: (identifier) @_keyword
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name)
  ])
  (do_block)? @body
  (#any-of? @_keyword "def" "defp" "defdelegate" "defguard" "defguardp")) @symbol.function
(call
  target: (identifier) @_keyword
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
  ])
  (do_block)? @body
  (#any-of? @_keyword "defmacro" "defmacrop")) @symbol.macro
