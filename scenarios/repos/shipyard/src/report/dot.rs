//! The graph for Graphviz.

use std::collections::BTreeSet;

use crate::graph::Graph;

/// A digraph: solid arrows for packages that are used, dashed ones for those that are only waited
/// for. Packages in `marked` are drawn bold.
pub fn graph(graph: &Graph, marked: &BTreeSet<String>) -> String {
    let mut text = String::from("digraph yard {\n  rankdir=LR;\n");
    for name in graph.names() {
        let style = if marked.contains(name) {
            " [style=bold]"
        } else {
            ""
        };
        text.push_str(&format!("  \"{name}\"{style};\n"));
    }
    for name in graph.names() {
        let used: BTreeSet<&str> = graph.dependencies(name).collect();
        for predecessor in graph.predecessors(name) {
            let style = if used.contains(predecessor) {
                ""
            } else {
                " [style=dashed]"
            };
            text.push_str(&format!("  \"{predecessor}\" -> \"{name}\"{style};\n"));
        }
    }
    text.push_str("}\n");
    text
}
