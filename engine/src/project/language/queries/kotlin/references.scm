; Names that a file uses: functions, constructors and types.

(call_expression . (identifier) @reference)
(call_expression . (navigation_expression (identifier) @reference .))
(callable_reference (identifier) @reference .)
(infix_expression . (_) . (identifier) @reference)
(user_type (identifier) @reference)
