//! Facts of `tsconfig.json` and what it extends.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::jsonc;
use super::npm::Rule;

/// How a folder's TypeScript names files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Tsconfig {
    /// Configurations it builds on, later ones over earlier.
    pub(in super::super) extends: Vec<String>,
    pub(in super::super) base_url: Option<String>,
    /// `paths`, by pattern; `None` where it isn't stated, so that the one below holds.
    pub(in super::super) paths: Option<Vec<Rule>>,
    pub(in super::super) root_dir: Option<String>,
    pub(in super::super) out_dir: Option<String>,
}

pub(super) fn read(text: &str) -> Option<Tsconfig> {
    let json = jsonc::parse(text)?;
    let options = json.get("compilerOptions");
    let option = |name: &str| options.and_then(|o| o.get(name)?.as_str()).map(str::to_owned);
    let extends = match json.get("extends") {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let paths = options.and_then(|o| o.get("paths")?.as_object());
    let rule = |(pattern, targets): (&String, &Value)| {
        let targets = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
        Rule { pattern: pattern.clone(), targets: targets.map(str::to_owned).collect() }
    };
    let mut paths: Option<Vec<Rule>> = paths.map(|paths| paths.iter().map(rule).collect());
    paths.iter_mut().for_each(|rules| rules.sort_by(|a, b| a.pattern.cmp(&b.pattern)));
    Some(Tsconfig {
        extends,
        base_url: option("baseUrl"),
        paths,
        root_dir: option("rootDir"),
        out_dir: option("outDir"),
    })
}
