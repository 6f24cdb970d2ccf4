//! From an import's specifier to the file, folder or namespace of the project it names, or that it names none.
//!
//! Resolution looks at paths and manifests only, never at a disk. It tells apart what is outside the project (`External`: a
//! published package, a standard library) from what should be inside and isn't (`Unresolved`: a generated file, an import
//! that no rule here understands), so that a share of resolved imports means something.

mod files;
mod go;
mod include;
mod jvm;
mod namespace;
mod python;
mod rust;
mod script;
#[cfg(test)]
mod tests;
mod tsconfig;

use std::collections::{BTreeMap, BTreeSet};

use super::language::{Language, Modules};
use super::manifest::Manifest;
use files::Files;
use go::Go;
use namespace::Namespaces;
use python::Python;
use rust::Rust;
use script::Script;

/// What an import means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A file, by path.
    File(String),
    /// Every file of its language directly in a folder; with a slash at its end, empty for the root.
    Folder(String),
    /// Every file that declares a namespace.
    Namespace(String),
    /// Something outside the project.
    External,
    /// Something that should be in the project and isn't found.
    Unresolved,
}

impl Target {
    /// The stable name in tables.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Target::File(_) => "file",
            Target::Folder(_) => "folder",
            Target::Namespace(_) => "namespace",
            Target::External => "external",
            Target::Unresolved => "unresolved",
        }
    }

    /// What is named, where something is.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Target::File(name) | Target::Folder(name) | Target::Namespace(name) => Some(name),
            Target::External | Target::Unresolved => None,
        }
    }

    fn file_or(found: Option<String>, otherwise: Target) -> Target {
        found.map_or(otherwise, Target::File)
    }
}

/// Everything resolution may look at, arranged for looking up.
pub(super) struct Resolver<'a> {
    files: Files<'a>,
    script: Script<'a>,
    python: Python,
    go: Go,
    rust: Rust<'a>,
    namespaces: Namespaces<'a>,
}

impl<'a> Resolver<'a> {
    /// `manifests` are the project's by path, `namespaces` what its files of C# declare.
    pub(super) fn new(
        paths: impl IntoIterator<Item = &'a str>,
        manifests: &'a BTreeMap<String, Manifest>,
        namespaces: &'a BTreeSet<String>,
    ) -> Resolver<'a> {
        let files = Files::new(paths);
        Resolver {
            script: Script::new(manifests, &files),
            python: Python::new(manifests),
            go: Go::new(manifests),
            rust: Rust::new(manifests),
            namespaces: Namespaces::new(namespaces),
            files,
        }
    }

    /// What `specifier` in the file `importer` means.
    pub(super) fn resolve(&self, importer: &str, language: Language, specifier: &str) -> Target {
        match language.modules() {
            Modules::Script => self.script.resolve(&self.files, importer, specifier),
            Modules::Python => self.python.resolve(&self.files, importer, specifier),
            Modules::Go => self.go.resolve(&self.files, importer, specifier),
            Modules::Rust => self.rust.resolve(&self.files, importer, specifier),
            Modules::Jvm => jvm::resolve(&self.files, importer, specifier),
            Modules::Include => include::resolve(&self.files, importer, specifier),
            Modules::Namespace => self.namespaces.resolve(specifier),
            Modules::None => Target::Unresolved,
        }
    }
}
