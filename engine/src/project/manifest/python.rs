//! Facts of Python projects: the folders at which absolute imports start.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// A Python project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct PythonProject {
    /// Folders that hold its top-level packages, relative to the manifest, sorted; beside the manifest's own folder and `src`.
    pub(in super::super) roots: Vec<String>,
}

pub(super) fn read_pyproject(text: &str) -> Option<PythonProject> {
    let table: Table = text.parse().ok()?;
    let tool = |path: &[&str]| {
        let mut value = table.get("tool")?;
        for key in path {
            value = value.get(*key)?;
        }
        Some(value)
    };
    let mut roots: Vec<String> = Vec::new();
    // setuptools: `package-dir = {"" = "lib"}` and `packages.find.where = ["lib"]`
    let package_dir = tool(&["setuptools", "package-dir"]).and_then(|dirs| dirs.get("")?.as_str());
    roots.extend(package_dir.map(str::to_owned));
    roots.extend(strings(tool(&["setuptools", "packages", "find", "where"])));
    // poetry: `packages = [{ include = "x", from = "lib" }]`
    let poetry = tool(&["poetry", "packages"]).and_then(Value::as_array);
    roots.extend(poetry.into_iter().flatten().filter_map(|p| p.get("from")?.as_str().map(str::to_owned)));
    // hatch: `packages = ["lib/x"]`, the folder of the package itself
    let hatch = strings(tool(&["hatch", "build", "targets", "wheel", "packages"]));
    roots.extend(hatch.iter().filter_map(|p| Some(p.rsplit_once('/')?.0.to_owned())));
    // pytest: `pythonpath = ["lib"]`
    roots.extend(strings(tool(&["pytest", "ini_options", "pythonpath"])));
    Some(project(roots))
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let listed = value.and_then(Value::as_array).into_iter().flatten();
    let one = value.and_then(Value::as_str);
    listed.filter_map(Value::as_str).chain(one).map(str::to_owned).collect()
}

/// `setup.py` is a program: only the usual ways of naming a folder are understood.
pub(super) fn read_setup(text: &str) -> PythonProject {
    let mut roots = Vec::new();
    let mut expects_dir = false;
    for line in text.lines().map(str::trim) {
        if let Some(at) = line.find("package_dir") {
            // `package_dir={"": "lib"}` and, in a setup.cfg, `package_dir =` with `=lib` on the next line
            expects_dir = line.ends_with('=');
            roots.extend(quoted(&line[at..]).nth(1).map(str::to_owned));
        } else if expects_dir {
            roots.extend(line.strip_prefix('=').map(|dir| dir.trim().to_owned()));
            expects_dir = false;
        } else if let Some(at) = line.find("where") {
            let rest = line[at + "where".len()..].trim_start();
            if let Some(value) = rest.strip_prefix('=') {
                let bare = value.split([',', ')']).next().unwrap_or(value).trim();
                roots.push(quoted(value).next().unwrap_or(bare).to_owned());
            }
        }
    }
    project(roots)
}

/// The quoted strings of a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split(['"', '\'']).skip(1).step_by(2)
}

fn project(mut roots: Vec<String>) -> PythonProject {
    roots.retain(|root| !root.is_empty());
    roots.sort();
    roots.dedup();
    PythonProject { roots }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_way_of_naming_a_folder_is_understood() {
        let toml = |text: &str| read_pyproject(text).unwrap().roots;
        assert_eq!(toml("[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n"), ["lib"]);
        assert_eq!(toml("[tool.setuptools]\npackage-dir = {\"\" = \"python\"}\n"), ["python"]);
        assert_eq!(toml("[tool.poetry]\npackages = [{ include = \"x\", from = \"code\" }]\n"), ["code"]);
        assert_eq!(toml("[tool.hatch.build.targets.wheel]\npackages = [\"src/x\"]\n"), ["src"]);
        assert_eq!(toml("[tool.pytest.ini_options]\npythonpath = \"a\"\n"), ["a"]);
        assert!(toml("[project]\nname = \"x\"\n").is_empty());
        assert_eq!(
            read_setup("setup(\n  package_dir={\"\": \"lib\"},\n  packages=find_packages(where='lib'))\n")
                .roots,
            ["lib"]
        );
        assert_eq!(
            read_setup("[options]\npackage_dir =\n    =src\n[options.packages.find]\nwhere = src\n").roots,
            ["src"]
        );
        assert!(read_setup("print('elsewhere')\n").roots.is_empty());
    }
}
