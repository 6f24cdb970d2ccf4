//! From an import's specifier to the file or folder of the project it names.

use std::collections::BTreeSet;

use super::language::{Language, Modules};
use super::package::{Package, PackageKind};
use super::role::{base_name, folder};

/// Extensions tried for a script import without one, in order of preference.
const SCRIPT_EXTENSIONS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// Everything resolution may look at: paths and packages of the project.
pub(super) struct Resolver<'a> {
    files: BTreeSet<&'a str>,
    packages: &'a [Package],
}

impl<'a> Resolver<'a> {
    pub(super) fn new(files: impl IntoIterator<Item = &'a str>, packages: &'a [Package]) -> Resolver<'a> {
        Resolver { files: files.into_iter().collect(), packages }
    }

    /// The file that `specifier` in `importer` names, or (Go) the folder of the package with a slash at its end. `None`
    /// where it names something outside the project.
    pub(super) fn resolve(&self, importer: &str, language: Language, specifier: &str) -> Option<String> {
        match language.modules() {
            Modules::Python => self.python(importer, specifier),
            Modules::Go => self.go(specifier),
            Modules::Rust => self.rust(importer, specifier),
            Modules::Script => self.script(importer, specifier),
            _ => None,
        }
    }

    fn existing(&self, path: String) -> Option<String> {
        self.files.contains(path.as_str()).then_some(path)
    }

    // ----- JavaScript family

    fn script(&self, importer: &str, specifier: &str) -> Option<String> {
        if specifier.starts_with('.') {
            return self.script_path(&join(folder(importer), specifier)?);
        }
        let package = self
            .packages
            .iter()
            .filter(|p| p.kind == PackageKind::Npm && starts_with_segments(specifier, &p.name))
            .max_by_key(|p| p.name.len())?;
        let rest = specifier[package.name.len()..].trim_start_matches('/');
        let inside = |path: &str| self.script_path(&join(&package.folder, path)?);
        if rest.is_empty() {
            ["src/index", "index", "src/main", "lib/index"].into_iter().find_map(inside)
        } else {
            inside(&format!("src/{rest}")).or_else(|| inside(rest))
        }
    }

    /// The path itself, the source a compiler emits it from (`./a.js` may be `a.ts`), with an extension, or a folder's index.
    fn script_path(&self, path: &str) -> Option<String> {
        let stem = [".js", ".jsx", ".mjs", ".cjs"].iter().find_map(|e| path.strip_suffix(e));
        let with = |base: &str, tail: &str| {
            SCRIPT_EXTENSIONS.iter().find_map(|e| self.existing(format!("{base}{tail}.{e}")))
        };
        self.existing(path.to_owned())
            .or_else(|| stem.and_then(|stem| with(stem, "")))
            .or_else(|| with(path, ""))
            .or_else(|| with(path, "/index"))
    }

    // ----- Python

    fn python(&self, importer: &str, specifier: &str) -> Option<String> {
        let dots = specifier.len() - specifier.trim_start_matches('.').len();
        let names: Vec<&str> = specifier[dots..].split('.').filter(|s| !s.is_empty()).collect();
        if dots > 0 {
            let mut base = folder(importer);
            for _ in 1..dots {
                base = folder(base);
            }
            return self.python_below(base, &names);
        }
        // An absolute import starts at a folder on the path: the root, `src`, or any folder above the importer.
        let mut base = folder(importer);
        let mut bases = vec!["", "src"];
        while !base.is_empty() {
            bases.push(base);
            base = folder(base);
        }
        bases.into_iter().find_map(|base| self.python_below(base, &names).filter(|f| f != importer))
    }

    fn python_below(&self, base: &str, names: &[&str]) -> Option<String> {
        for count in (0..=names.len()).rev() {
            let path = names[..count].iter().fold(base.to_owned(), |path, name| child(&path, name));
            let module = (count > 0)
                .then(|| ["py", "pyi"].iter().find_map(|e| self.existing(format!("{path}.{e}"))))
                .flatten();
            let found = module.or_else(|| self.existing(child(&path, "__init__.py")));
            // An absolute import must match at least its first name; a relative one may mean the package itself.
            if found.is_some() && (count > 0 || names.is_empty()) {
                return found;
            }
        }
        None
    }

    // ----- Go

    fn go(&self, specifier: &str) -> Option<String> {
        let package = self
            .packages
            .iter()
            .filter(|p| p.kind == PackageKind::Go && starts_with_segments(specifier, &p.name))
            .max_by_key(|p| p.name.len())?;
        let rest = specifier[package.name.len()..].trim_matches('/');
        let path = if rest.is_empty() { package.folder.clone() } else { child(&package.folder, rest) };
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let holds_go = self
            .files
            .range(prefix.as_str()..)
            .take_while(|f| f.starts_with(&prefix))
            .any(|f| f.ends_with(".go") && !f[prefix.len()..].contains('/'));
        holds_go.then_some(prefix)
    }

    // ----- Rust

    fn rust(&self, importer: &str, specifier: &str) -> Option<String> {
        let mut names: Vec<&str> = specifier.split("::").filter(|s| !s.is_empty()).collect();
        let first = *names.first()?;
        let own = module_folder(importer);
        match first {
            "crate" => self.rust_below(&self.crate_folder(importer)?, &names[1..]),
            "self" => self.rust_below(&own, &names[1..]),
            "super" => {
                let mut base = own;
                while names.first() == Some(&"super") {
                    names.remove(0);
                    base = folder(&base).to_owned();
                }
                self.rust_below(&base, &names)
            }
            name => {
                let package = self.packages.iter().find(|p| p.kind == PackageKind::Cargo && p.name == name);
                match package {
                    Some(package) => {
                        let source = child(&package.folder, "src");
                        self.rust_below(&source, &names[1..])
                            .or_else(|| self.rust_below(&package.folder, &names[1..]))
                    }
                    // Since edition 2018 a path may start at a child module.
                    None => self.rust_below(&own, &names).filter(|f| self.names_child(f, &own, name)),
                }
            }
        }
    }

    /// Whether resolution used the first name at all, rather than fall back to the module itself.
    fn names_child(&self, found: &str, base: &str, name: &str) -> bool {
        let path = child(base, name);
        found.starts_with(&format!("{path}.")) || found.starts_with(&format!("{path}/"))
    }

    fn rust_below(&self, base: &str, names: &[&str]) -> Option<String> {
        for count in (0..=names.len()).rev() {
            let path = names[..count].iter().fold(base.to_owned(), |path, name| child(&path, name));
            let tails = ["mod.rs", "lib.rs", "main.rs"];
            let found = self
                .existing(format!("{path}.rs"))
                .or_else(|| tails.iter().find_map(|tail| self.existing(child(&path, tail))));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The nearest folder above the importer that holds a crate root.
    fn crate_folder(&self, importer: &str) -> Option<String> {
        let mut base = folder(importer);
        loop {
            if ["lib.rs", "main.rs"].iter().any(|name| self.files.contains(child(base, name).as_str())) {
                return Some(base.to_owned());
            }
            if base.is_empty() {
                return None;
            }
            base = folder(base);
        }
    }
}

/// The folder in which a Rust module's child modules stand.
fn module_folder(path: &str) -> String {
    let name = base_name(path);
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder(path).to_owned(),
        _ => child(folder(path), name.strip_suffix(".rs").unwrap_or(name)),
    }
}

fn child(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether `prefix` is the whole of `path` or ends at one of its slashes.
fn starts_with_segments(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Joins and normalises; `None` where the path would leave the root.
fn join(base: &str, relative: &str) -> Option<String> {
    let mut out: Vec<&str> = base.split('/').filter(|s| !s.is_empty()).collect();
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                out.pop()?;
            }
            name => out.push(name),
        }
    }
    Some(out.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[&str], importer: &str, specifier: &str, expected: Option<&str>) {
        let npm = |name: &str, folder: &str| Package {
            kind: PackageKind::Npm,
            name: name.to_owned(),
            folder: folder.to_owned(),
        };
        let packages = [
            npm("@pi/ai", "packages/ai"),
            Package { kind: PackageKind::Go, name: "example.org/x".into(), folder: String::new() },
            Package { kind: PackageKind::Cargo, name: "grep_cli".into(), folder: "crates/cli".into() },
        ];
        let resolver = Resolver::new(files.iter().copied(), &packages);
        let language = Language::of_path(importer).unwrap();
        assert_eq!(resolver.resolve(importer, language, specifier).as_deref(), expected, "{specifier}");
    }

    #[test]
    fn scripts_resolve_relative_emitted_index_and_workspace_names() {
        let files =
            ["src/a.ts", "src/b/index.ts", "src/c.tsx", "packages/ai/src/index.ts", "packages/ai/src/x.ts"];
        check(&files, "src/a.ts", "./b", Some("src/b/index.ts"));
        check(&files, "src/b/index.ts", "../a.js", Some("src/a.ts"));
        check(&files, "src/a.ts", "./c", Some("src/c.tsx"));
        check(&files, "src/a.ts", "@pi/ai", Some("packages/ai/src/index.ts"));
        check(&files, "src/a.ts", "@pi/ai/x", Some("packages/ai/src/x.ts"));
        check(&files, "src/a.ts", "@pi/ai-other", None);
        check(&files, "src/a.ts", "../../../etc/passwd", None);
        check(&files, "src/a.ts", "react", None);
    }

    #[test]
    fn python_resolves_relative_absolute_and_packages() {
        let files = ["app/__init__.py", "app/core/__init__.py", "app/core/io.py", "app/main.py", "tool.py"];
        check(&files, "app/main.py", ".core.io.read", Some("app/core/io.py"));
        check(&files, "app/main.py", ".core", Some("app/core/__init__.py"));
        check(&files, "app/core/io.py", "..main.run", Some("app/main.py"));
        check(&files, "tool.py", "app.core.io", Some("app/core/io.py"));
        check(&files, "app/core/io.py", "os.path", None);
        check(&files, "app/core/io.py", "io", None);
    }

    #[test]
    fn go_resolves_to_the_folder_of_the_package() {
        let files = ["main.go", "store/db.go", "docs/a.md"];
        check(&files, "main.go", "example.org/x/store", Some("store/"));
        check(&files, "main.go", "example.org/x/docs", None);
        check(&files, "main.go", "fmt", None);
    }

    #[test]
    fn rust_resolves_crate_self_super_and_workspace_crates() {
        let files = ["src/lib.rs", "src/a.rs", "src/a/b.rs", "src/c/mod.rs", "crates/cli/src/lib.rs"];
        check(&files, "src/a/b.rs", "crate::c::Thing", Some("src/c/mod.rs"));
        check(&files, "src/a.rs", "self::b::f", Some("src/a/b.rs"));
        check(&files, "src/a/b.rs", "super::g", Some("src/a.rs"));
        check(&files, "src/a/b.rs", "super::super::c::X", Some("src/c/mod.rs"));
        check(&files, "src/lib.rs", "self::a", Some("src/a.rs"));
        check(&files, "src/lib.rs", "a::b::f", Some("src/a/b.rs"));
        check(&files, "src/a.rs", "grep_cli::escape", Some("crates/cli/src/lib.rs"));
        check(&files, "src/a.rs", "std::fmt", None);
    }
}
