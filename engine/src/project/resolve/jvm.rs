//! Qualified names of Java and Kotlin, whose packages follow folders.

use super::Target;
use super::files::Files;

const EXTENSIONS: [&str; 2] = ["java", "kt"];

/// `a.b.C`, a member of it, or `a.b.*`. The source roots aren't known: a file whose path ends with the name's is it.
pub(super) fn resolve(files: &Files<'_>, importer: &str, specifier: &str) -> Target {
    let names: Vec<&str> = specifier.split('.').filter(|name| !name.is_empty()).collect();
    let (names, is_wildcard) = match names.split_last() {
        Some((&"*", names)) => (names.to_vec(), true),
        _ => (names, false),
    };
    // A class of the default package can't be imported, so a package has one name at least.
    for count in (2..=names.len()).rev() {
        let tail = names[..count].join("/");
        let of = |extension: &&str| files.ending_with(&format!("{tail}.{extension}"), importer);
        if let Some(path) = EXTENSIONS.iter().find_map(of) {
            return Target::File(path.to_owned());
        }
    }
    let package = if is_wildcard { &names[..] } else { &names[..names.len().saturating_sub(1)] };
    let holder = |package: &[&str]| files.folder_ending_with(&package.join("/"), &EXTENSIONS, importer);
    // A function or a property of Kotlin stands in a file of any name.
    let named_by_folder = is_wildcard || importer.ends_with(".kt") || importer.ends_with(".kts");
    if let Some(folder) = Some(package).filter(|p| named_by_folder && !p.is_empty()).and_then(holder) {
        return Target::Folder(folder);
    }
    // Two segments of a package are somebody's name; one (`org`) is everybody's.
    let owner = &package[..package.len().min(2)];
    let is_own = !owner.is_empty() && files.has_folder_ending_with(&owner.join("/"));
    if is_own { Target::Unresolved } else { Target::External }
}
