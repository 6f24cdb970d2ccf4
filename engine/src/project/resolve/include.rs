//! Files that C and C++ include: beside the importer, else wherever an include folder may lead.

use super::super::role::folder;
use super::Target;
use super::files::{Files, join};

/// Headers of the standard library of C, by which a file of the same name in the project isn't meant.
const STANDARD: [&str; 31] = [
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "memory.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbit.h",
    "stdbool.h",
    "stdckdint.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "tgmath.h",
    "threads.h",
    "time.h",
    "uchar.h",
    "wchar.h",
];

/// `specifier` has its quotes or angle brackets. Include folders aren't known: a file whose path ends with what is named is
/// taken for it, the nearest first.
pub(super) fn resolve(files: &Files<'_>, importer: &str, specifier: &str) -> Target {
    let name = specifier.trim_matches(['"', '<', '>']);
    let is_system = specifier.starts_with('<');
    if is_system && (STANDARD.contains(&name) || !name.contains('.') && !name.contains('/')) {
        return Target::External;
    }
    let beside = || join(folder(importer), name).and_then(|path| files.existing(path));
    let plain = join("", name.trim_start_matches("../"));
    let elsewhere = || plain.and_then(|tail| files.ending_with(&tail, importer).map(str::to_owned));
    let found = if is_system { elsewhere() } else { beside().or_else(elsewhere) };
    let otherwise = if is_system { Target::External } else { Target::Unresolved };
    Target::file_or(found, otherwise)
}
