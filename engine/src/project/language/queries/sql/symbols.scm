; Definitions of SQL. Captures as in the JavaScript query; `qualified` is a name of which the last segment counts.

(create_table (object_reference) @qualified) @symbol.table
(create_view (object_reference) @qualified) @symbol.view
(create_materialized_view (object_reference) @qualified) @symbol.view
(create_function (keyword_function) . (object_reference) @qualified) @symbol.function
(create_type (keyword_type) . (object_reference) @qualified) @symbol.type
(create_trigger (keyword_trigger) . (object_reference) @qualified) @symbol.trigger
(create_index column: (identifier) @name) @symbol.index
