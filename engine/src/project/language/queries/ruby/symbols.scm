; Definitions of Ruby. Captures as in the JavaScript query; `qualified` is a name of which the last segment counts.

(class name: (constant) @name) @symbol.class
(class name: (scope_resolution) @qualified) @symbol.class
(module name: (constant) @name) @symbol.module
(module name: (scope_resolution) @qualified) @symbol.module
(method name: (_) @name) @symbol.method
(singleton_method name: (_) @name) @symbol.method
(assignment left: (constant) @name) @symbol.constant
