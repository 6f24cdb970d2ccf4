//! Names by which other files of the project may import a package: the facts of `package.json`, `go.mod`, `Cargo.toml`.

use super::role::{base_name, folder};

/// Which world a package belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PackageKind {
    Npm,
    Go,
    Cargo,
}

impl PackageKind {
    pub(super) fn code(self) -> &'static str {
        match self {
            PackageKind::Npm => "npm",
            PackageKind::Go => "go",
            PackageKind::Cargo => "cargo",
        }
    }

    pub(super) fn from_code(code: &str) -> Option<PackageKind> {
        [PackageKind::Npm, PackageKind::Go, PackageKind::Cargo].into_iter().find(|kind| kind.code() == code)
    }
}

/// A package of the project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Package {
    pub(super) kind: PackageKind,
    /// Name as imported.
    pub(super) name: String,
    /// Its folder, relative to the root; empty for the root itself.
    pub(super) folder: String,
}

/// The package that a manifest declares; `None` for other files and for manifests without a name.
pub(super) fn declared(path: &str, text: &str) -> Option<Package> {
    let (kind, name) = match base_name(path) {
        "package.json" => (PackageKind::Npm, npm_name(text)?),
        "go.mod" => (PackageKind::Go, go_module(text)?),
        "Cargo.toml" => (PackageKind::Cargo, cargo_name(text)?),
        _ => return None,
    };
    Some(Package { kind, name, folder: folder(path).to_owned() })
}

fn npm_name(text: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    json.get("name")?.as_str().map(str::to_owned)
}

fn go_module(text: &str) -> Option<String> {
    let rest = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    let name = rest.split("//").next().unwrap_or(rest).trim().trim_matches('"');
    (!name.is_empty()).then(|| name.to_owned())
}

/// The library's name where it is stated, else the package's with hyphens as underscores, as Rust imports it.
fn cargo_name(text: &str) -> Option<String> {
    let mut section = "";
    let (mut package, mut library) = (None, None);
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if let Some(value) =
            line.strip_prefix("name").and_then(|rest| rest.trim_start().strip_prefix('='))
        {
            let value = value.split('#').next().unwrap_or(value).trim().trim_matches(['"', '\'']).to_owned();
            match section {
                "[package]" => package = Some(value),
                "[lib]" => library = Some(value),
                _ => {}
            }
        }
    }
    library.or(package).map(|name| name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_name_their_package() {
        let name = |path, text| declared(path, text).map(|p| (p.name, p.folder));
        assert_eq!(
            name("packages/ai/package.json", r#"{"name": "@pi/ai"}"#),
            Some(("@pi/ai".into(), "packages/ai".into()))
        );
        assert_eq!(
            name("go.mod", "module example.org/x // y\n\ngo 1.22\n"),
            Some(("example.org/x".into(), "".into()))
        );
        assert_eq!(
            name("crates/a/Cargo.toml", "[package]\nname = \"a-b\" # c\n[[bin]]\nname = \"z\"\n"),
            Some(("a_b".into(), "crates/a".into()))
        );
        assert_eq!(name("Cargo.toml", "[workspace]\nmembers = []\n"), None);
        assert_eq!(name("package.json", "{"), None);
    }
}
