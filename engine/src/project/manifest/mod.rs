//! What manifests say about names: facts that resolution needs, read once a file and stored.

mod cargo;
mod go;
mod jsonc;
mod npm;
mod python;
mod tsconfig;

use serde::{Deserialize, Serialize};

use super::role::{base_name, extension};
pub(super) use cargo::{Cargo, CargoDependency};
pub(super) use go::GoModule;
pub(super) use npm::{NpmPackage, Rule};
pub(super) use python::PythonProject;
pub(super) use tsconfig::Tsconfig;

/// Facts of one manifest, in the form in which the index stores them (JSON). A change of these types is a change of the
/// extraction: raise its version, and stored facts are read anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum Manifest {
    Npm(NpmPackage),
    /// `pnpm-workspace.yaml`: globs of member folders.
    Pnpm {
        members: Vec<String>,
    },
    Tsconfig(Tsconfig),
    Go(GoModule),
    Cargo(Cargo),
    Python(PythonProject),
}

/// The facts of a manifest; `None` for other files and for one that can't be read: what it says then isn't guessed at.
pub(super) fn read(path: &str, text: &str) -> Option<Manifest> {
    Some(match base_name(path) {
        "package.json" => Manifest::Npm(npm::read(text)?),
        "pnpm-workspace.yaml" => Manifest::Pnpm { members: npm::pnpm_members(text) },
        "go.mod" => Manifest::Go(go::read(text)?),
        "Cargo.toml" => Manifest::Cargo(cargo::read(text)?),
        "pyproject.toml" => Manifest::Python(python::read_pyproject(text)?),
        "setup.py" | "setup.cfg" => Manifest::Python(python::read_setup(text)),
        name if is_tsconfig(name, text) => Manifest::Tsconfig(tsconfig::read(text)?),
        _ => return None,
    })
}

/// Shared configurations bear any name: what makes one is the member that only they have.
fn is_tsconfig(name: &str, text: &str) -> bool {
    extension(name) == Some("json")
        && (name.starts_with("tsconfig")
            || name.starts_with("jsconfig")
            || text.contains("\"compilerOptions\""))
}
