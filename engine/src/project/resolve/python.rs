//! Modules of Python: relative ones below the importer, absolute ones below the folders on the path.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::super::manifest::Manifest;
use super::super::role::folder;
use super::Target;
use super::files::{Files, below, child, join, upwards};

/// Modules of the standard library: a file of the same name beside the importer isn't meant by them.
const STANDARD: &str = " __future__ abc aifc argparse array ast asyncio atexit audioop base64 bdb binascii bisect \
    builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent \
    configparser contextlib contextvars copy copyreg cProfile csv ctypes curses dataclasses datetime dbm decimal \
    difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch \
    fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib \
    imp importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox marshal math \
    mimetypes mmap modulefinder msvcrt multiprocessing netrc nntplib numbers operator optparse os ossaudiodev pathlib \
    pdb pickle pickletools pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile \
    pyclbr pydoc queue quopri random re readline reprlib resource runpy sched secrets select selectors shelve shlex \
    shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess \
    symtable sys sysconfig syslog tarfile tempfile termios textwrap threading time timeit tkinter token tokenize \
    tomllib trace traceback tracemalloc tty turtle types typing unicodedata unittest urllib uuid venv warnings wave \
    weakref webbrowser winreg winsound wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";

/// Folders at which absolute imports start.
pub(super) struct Python {
    /// Of each project, by its own folder, nearest to the manifest first.
    roots: BTreeMap<String, Vec<String>>,
    /// By a top-level name: those of all projects that hold something of that name.
    holders: RefCell<HashMap<String, Rc<[String]>>>,
}

impl Python {
    pub(super) fn new(manifests: &BTreeMap<String, Manifest>) -> Python {
        let mut roots: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, manifest) in manifests {
            if let Manifest::Python(project) = manifest {
                let home = folder(path);
                let stated = project.roots.iter().filter_map(|root| join(home, root));
                roots.entry(home.to_owned()).or_default().extend(stated);
            }
        }
        for (home, stated) in &mut roots {
            stated.extend([child(home, "src"), home.clone()]);
        }
        Python { roots, holders: RefCell::default() }
    }

    pub(super) fn resolve(&self, files: &Files<'_>, importer: &str, specifier: &str) -> Target {
        let dots = specifier.len() - specifier.trim_start_matches('.').len();
        let names: Vec<&str> = specifier[dots..].split('.').filter(|s| !s.is_empty()).collect();
        if dots > 0 {
            let base = upwards(folder(importer)).nth(dots - 1);
            return base.map_or(Target::Unresolved, |base| below_folder(files, base, &names, true));
        }
        let Some(first) = names.first() else { return Target::Unresolved };
        let is_standard = STANDARD.contains(&format!(" {first} "));
        let bases = self.bases(files, importer, first, is_standard);
        let mut found = bases.iter().map(|base| below_folder(files, base, &names, false));
        // A module never means itself: `import io` in a file of that name is the standard one.
        let is_other = |target: &Target| {
            !matches!(target, Target::Unresolved) && *target != Target::File(importer.to_owned())
        };
        found.find(is_other).unwrap_or(Target::External)
    }

    /// Folders that may be on the path for a top-level name, most likely first.
    fn bases(&self, files: &Files<'_>, importer: &str, first: &str, is_standard: bool) -> Vec<String> {
        let own = folder(importer);
        let mut bases: Vec<String> = Vec::new();
        // The roots of the importer's own project, then those of the others.
        bases.extend(upwards(own).filter_map(|folder| self.roots.get(folder)).flatten().cloned());
        bases.extend(self.holders(files, first).iter().cloned());
        bases.extend([String::new(), "src".to_owned()]);
        if !is_standard {
            // A script runs with its own folder on the path; within a package it doesn't.
            let outside = |folder: &&str| !files.has(&child(folder, "__init__.py"));
            bases.extend(upwards(own).filter(outside).map(str::to_owned));
        }
        let mut seen = BTreeSet::new();
        bases.retain(|base| seen.insert(base.clone()));
        bases
    }

    fn holders(&self, files: &Files<'_>, first: &str) -> Rc<[String]> {
        if let Some(known) = self.holders.borrow().get(first) {
            return Rc::clone(known);
        }
        let holds = |base: &&String| {
            below_folder(files, base, &[first], false) != Target::Unresolved
                || files.has_folder(&child(base, first))
        };
        let found: Rc<[String]> = self.roots.values().flatten().filter(holds).cloned().collect();
        self.holders.borrow_mut().insert(first.to_owned(), Rc::clone(&found));
        found
    }
}

/// The longest prefix of the names that is a module below a folder. An absolute import must match its first name; a relative
/// one may mean the package itself.
fn below_folder(files: &Files<'_>, base: &str, names: &[&str], is_relative: bool) -> Target {
    for count in (0..=names.len()).rev() {
        if count == 0 && !is_relative {
            break;
        }
        let path = names[..count].iter().fold(base.to_owned(), |path, name| child(&path, name));
        let module = || files.first(["py", "pyi"].map(|extension| format!("{path}.{extension}")));
        let package = || files.first(["py", "pyi"].map(|e| child(&path, &format!("__init__.{e}"))));
        let file = if count > 0 { module().or_else(package) } else { package() };
        if let Some(file) = file {
            return Target::File(file);
        }
        // A package without a file of its own.
        if count > 0 && files.has_direct(&path, "py") {
            return Target::Folder(below(&path));
        }
    }
    Target::Unresolved
}
