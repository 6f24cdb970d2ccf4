//! Facts of `package.json` and of pnpm's list of members.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A package of the JavaScript family.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct NpmPackage {
    pub(in super::super) name: Option<String>,
    /// Where the package itself leads, without `exports`: most telling first.
    pub(in super::super) entries: Vec<String>,
    /// `exports`: what may be imported below the package's name (`.`, `./x`, `./x/*`).
    pub(in super::super) exports: Vec<Rule>,
    /// `imports`: names with `#` that the package gives itself.
    pub(in super::super) imports: Vec<Rule>,
    /// Globs of the workspace's member folders.
    pub(in super::super) workspaces: Vec<String>,
}

/// A name or a pattern with one `*`, and the files it may mean, in order of preference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Rule {
    pub(in super::super) pattern: String,
    pub(in super::super) targets: Vec<String>,
}

/// Fields that name the entry of a package, the one nearest to its sources first.
const ENTRY_FIELDS: [&str; 6] = ["source", "module", "main", "types", "typings", "browser"];

/// Conditions of `exports`, the one nearest to the sources first; others follow by name.
const CONDITIONS: [&str; 8] =
    ["source", "development", "types", "import", "module", "require", "node", "default"];

pub(super) fn read(text: &str) -> Option<NpmPackage> {
    let json: Value = serde_json::from_str(text).ok()?;
    let json = json.as_object()?;
    let entry = |field: &&str| json.get(*field).and_then(Value::as_str).map(str::to_owned);
    let workspaces = json.get("workspaces");
    let members = workspaces.and_then(|w| w.as_array().or_else(|| w.get("packages")?.as_array()));
    Some(NpmPackage {
        name: json.get("name").and_then(Value::as_str).map(str::to_owned),
        entries: ENTRY_FIELDS.iter().filter_map(entry).collect(),
        exports: json.get("exports").map_or_else(Vec::new, |exports| rules(exports, ".")),
        imports: json.get("imports").map_or_else(Vec::new, |imports| rules(imports, "#")),
        workspaces: members.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}

/// The rules of `exports` or `imports`, whose names begin with `mark`. What isn't a list of names is what `.` means.
fn rules(value: &Value, mark: &str) -> Vec<Rule> {
    let named = value.as_object().filter(|names| names.keys().any(|name| name.starts_with(mark)));
    let rule = |pattern: &str, value: &Value| {
        let mut targets = Vec::new();
        leaves(value, &mut targets);
        Rule { pattern: pattern.to_owned(), targets }
    };
    let mut rules: Vec<Rule> = match named {
        Some(names) => names.iter().map(|(name, value)| rule(name, value)).collect(),
        None if mark == "." => vec![rule(".", value)],
        None => Vec::new(),
    };
    rules.retain(|rule| !rule.targets.is_empty());
    rules.sort_by(|a, b| a.pattern.cmp(&b.pattern));
    rules
}

/// Every file that a target may mean, by preference, each once.
fn leaves(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(target) if !out.contains(target) => out.push(target.clone()),
        Value::Array(alternatives) => alternatives.iter().for_each(|value| leaves(value, out)),
        Value::Object(conditions) => {
            let rank = |name: &str| CONDITIONS.iter().position(|c| *c == name).unwrap_or(CONDITIONS.len());
            let mut sorted: Vec<(&String, &Value)> = conditions.iter().collect();
            sorted.sort_by_key(|(name, _)| (rank(name), *name));
            sorted.into_iter().for_each(|(_, value)| leaves(value, out));
        }
        _ => {}
    }
}

/// The globs of `pnpm-workspace.yaml`: the items of its list `packages`.
pub(super) fn pnpm_members(text: &str) -> Vec<String> {
    let mut members = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let item = line.trim_start().strip_prefix('-').map(str::trim);
        match item {
            Some(item) if inside => {
                let bare = item.split(" #").next().unwrap_or(item).trim().trim_matches(['"', '\'']);
                members.push(bare.to_owned());
            }
            None if !line.starts_with([' ', '#']) && !line.trim().is_empty() => {
                inside = line.trim_end() == "packages:";
            }
            _ => {}
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_of_every_form_become_rules() {
        let rules = |json: &str| {
            let package = read(json).unwrap();
            let rules = package.exports.into_iter().chain(package.imports);
            rules.map(|r| format!("{} = {}", r.pattern, r.targets.join(" "))).collect::<Vec<_>>()
        };
        assert_eq!(rules(r#"{"exports": "./dist/a.js"}"#), [". = ./dist/a.js"]);
        assert_eq!(
            rules(
                r#"{"exports": {"require": "./a.cjs", "import": {"types": "./a.d.ts", "default": "./a.js"}}}"#
            ),
            [". = ./a.d.ts ./a.js ./a.cjs"]
        );
        assert_eq!(
            rules(
                r##"{"exports": {".": "./a.js", "./x/*": ["./x/*.js"], "./no": null}, "imports": {"#u": "./u.js"}}"##
            ),
            [". = ./a.js", "./x/* = ./x/*.js", "#u = ./u.js"]
        );
        assert_eq!(read("{"), None);
        assert_eq!(read("[]"), None);
    }

    #[test]
    fn members_of_a_workspace_are_globs() {
        assert_eq!(read(r#"{"workspaces": ["a/*"]}"#).unwrap().workspaces, ["a/*"]);
        assert_eq!(read(r#"{"workspaces": {"packages": ["b"]}}"#).unwrap().workspaces, ["b"]);
        let yaml =
            "# c\npackages:\n  - 'packages/*' # all\n  - \"!x\"\n\n  # more\n  - tools\ncatalog:\n  - no\n";
        assert_eq!(pnpm_members(yaml), ["packages/*", "!x", "tools"]);
    }
}
