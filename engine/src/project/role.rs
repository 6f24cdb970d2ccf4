//! What a file is for, judged by its path and the head of its text.

use super::language::Language;

/// What a file is for. Ranking treats the roles differently; every role is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Program text.
    Source,
    /// Program text that tests other program text.
    Test,
    /// Documents for people.
    Document,
    /// Settings and data.
    Data,
    /// Written by a program: minified, bundled or marked as generated.
    Generated,
}

impl Role {
    /// The stable name in tables and reports.
    pub fn code(self) -> &'static str {
        match self {
            Role::Source => "source",
            Role::Test => "test",
            Role::Document => "document",
            Role::Data => "data",
            Role::Generated => "generated",
        }
    }

    /// The role of a stable name.
    pub fn from_code(code: &str) -> Option<Role> {
        [Role::Source, Role::Test, Role::Document, Role::Data, Role::Generated]
            .into_iter()
            .find(|role| role.code() == code)
    }
}

/// Lower-case extensions of program text beyond the languages we parse.
const CODE_EXTENSIONS: &[&str] = &[
    "asm", "astro", "bat", "clj", "cljs", "cmake", "css", "el", "elm", "erl", "fish", "fs", "gradle",
    "graphql", "groovy", "hs", "htm", "html", "jl", "less", "m", "ml", "mli", "mm", "nim", "nix", "pl", "pm",
    "proto", "ps1", "r", "rkt", "s", "sass", "scala", "scm", "scss", "sol", "svelte", "tcl", "tf", "v", "vb",
    "vim", "vue", "wgsl", "zig",
];

/// Names of program text without a telling extension.
const CODE_NAMES: &[&str] =
    &["dockerfile", "makefile", "gnumakefile", "justfile", "cmakelists.txt", "procfile"];

const DOCUMENT_EXTENSIONS: &[&str] = &["md", "mdx", "markdown", "rst", "txt", "adoc", "org", "tex"];

/// Names of documents without a telling extension.
const DOCUMENT_NAMES: &[&str] = &[
    "readme",
    "license",
    "licence",
    "copying",
    "unlicense",
    "changelog",
    "authors",
    "contributing",
    "notice",
];

const LOCKFILES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pipfile.lock",
    "gemfile.lock",
    "composer.lock",
    "go.sum",
    "flake.lock",
];

/// Bytes of the head of a file that are searched for a mark of generated text.
const HEAD_BYTES: usize = 1024;

/// Mean bytes a line above which program text counts as minified.
const MINIFIED_MEAN_LINE: usize = 250;

/// The role of a file.
pub fn role_of(path: &str, text: &str) -> Role {
    if is_document_path(path) {
        Role::Document
    } else if !is_code_path(path) && Language::of(path, text).is_none() {
        Role::Data
    } else if is_generated(path, text) {
        Role::Generated
    } else if is_test_path(path) {
        Role::Test
    } else {
        Role::Source
    }
}

/// Whether the path names program text.
pub fn is_code_path(path: &str) -> bool {
    let name = base_name(path).to_ascii_lowercase();
    Language::of_path(path).is_some_and(|language| !language.is_document())
        || CODE_NAMES.contains(&name.as_str())
        || extension(&name).is_some_and(|e| CODE_EXTENSIONS.contains(&e))
}

fn is_document_path(path: &str) -> bool {
    let name = base_name(path).to_ascii_lowercase();
    // `CMakeLists.txt` and `requirements.txt` are not prose.
    if CODE_NAMES.contains(&name.as_str()) || name.starts_with("requirements") {
        return false;
    }
    let stem = name.split(['.', '-', '_']).next().unwrap_or(&name);
    extension(&name).is_some_and(|e| DOCUMENT_EXTENSIONS.contains(&e))
        || (extension(&name).is_none() && DOCUMENT_NAMES.contains(&stem))
}

/// Whether the file is a lock file of a package manager.
pub(super) fn is_lockfile(path: &str) -> bool {
    LOCKFILES.contains(&base_name(path).to_ascii_lowercase().as_str())
}

/// Whether the path follows the conventions of tests: a folder `test`, `tests`, `__tests__`, `spec` or `testdata`, or a name
/// like `a.test.ts`, `a_test.go`, `test_a.py`, `conftest.py`.
pub fn is_test_path(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let in_folder = folders.split('/').any(|f| {
        matches!(f, "test" | "tests" | "__tests__" | "spec" | "specs" | "testdata" | "e2e")
            || f.ends_with(".test")
            || f.ends_with(".tests")
    });
    in_folder || test_subject(base_name(path)).is_some() || name == "conftest.py"
}

/// For a test's name, the stem of the file it tests by convention: `a.test.ts`, `a_test.go` and `test_a.py` give `a`; where
/// the language marks tests by capitals, `ATest.java` gives `A`.
pub fn test_subject(name: &str) -> Option<&str> {
    let stem = name.split('.').next().unwrap_or(name);
    let rest = &name[stem.len()..];
    if [".test.", ".spec."].iter().any(|mark| rest.contains(mark)) {
        // `a.b.test.ts` tests `a.b.ts`: keep everything before the mark.
        let at = name.rfind(".test.").or_else(|| name.rfind(".spec."))?;
        return Some(&name[..at]).filter(|stem| !stem.is_empty());
    }
    let marked = Language::of_path(name).map_or(&[][..], Language::test_marks);
    let by_language = || marked.iter().find_map(|mark| mark.strip(stem));
    strip_suffix(stem, "_test")
        .or_else(|| strip_suffix(stem, "_spec"))
        .or_else(|| strip_suffix(stem, "-test"))
        .or_else(|| strip_prefix(stem, "test_"))
        .or_else(|| strip_prefix(stem, "test-"))
        .or_else(by_language)
        .filter(|stem| !stem.is_empty())
}

/// As the method of the same name; ASCII letter case doesn't count.
fn strip_suffix<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let (head, tail) = text.split_at_checked(text.len().checked_sub(suffix.len())?)?;
    tail.eq_ignore_ascii_case(suffix).then_some(head)
}

fn strip_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, tail) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(tail)
}

fn is_generated(path: &str, text: &str) -> bool {
    let name = base_name(path).to_ascii_lowercase();
    if [".min.js", ".min.css", ".bundle.js", ".generated.", ".pb.go", "_pb2.py"]
        .iter()
        .any(|m| name.contains(m))
    {
        return true;
    }
    let mut end = text.len().min(HEAD_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = &text[..end];
    let marked = head.lines().any(|line| {
        line.contains("@generated")
            || line.contains("DO NOT EDIT")
            || (line.contains("Code generated") && line.contains("by"))
            || line.contains("This file is auto-generated")
    });
    marked || text.len() / count_lines(text).max(1) > MINIFIED_MEAN_LINE
}

/// How many lines [`str::lines`] yields.
pub(super) fn count_lines(text: &str) -> usize {
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    breaks + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// The last segment of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Everything before the last segment, without a slash at its end; empty for a file at the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The part of a name after its last dot; `None` for none and for dot files.
pub fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_conventions() {
        let check = |path, expected| assert_eq!(role_of(path, "x\n"), expected, "{path}");
        check("src/a.ts", Role::Source);
        check("src/a.test.ts", Role::Test);
        check("pkg/a_test.go", Role::Test);
        check("tests/it.rs", Role::Test);
        check("test_a.py", Role::Test);
        check("README.md", Role::Document);
        check("LICENSE-MIT", Role::Document);
        check("CMakeLists.txt", Role::Source);
        check("requirements.txt", Role::Data);
        check("package.json", Role::Data);
        check("a.min.js", Role::Generated);
        check("src/contest.rs", Role::Source);
        check("src/main/java/app/ServerTest.java", Role::Test);
        check("src/main/java/app/Contest.java", Role::Source);
        check("App.Tests/Fixture.cs", Role::Test);
        check("lib/cart_spec.rb", Role::Test);
        check("src/attestation.ts", Role::Source);
    }

    #[test]
    fn a_mark_in_the_head_or_endless_lines_mean_generated() {
        assert_eq!(role_of("a.ts", "// Code generated by tool. DO NOT EDIT.\n"), Role::Generated);
        assert_eq!(role_of("a.js", &"x".repeat(900)), Role::Generated);
    }

    #[test]
    fn a_test_names_its_subject() {
        assert_eq!(test_subject("model-resolver.test.ts"), Some("model-resolver"));
        assert_eq!(test_subject("head_test.go"), Some("head"));
        assert_eq!(test_subject("test_parser.py"), Some("parser"));
        assert_eq!(test_subject("a.b.spec.js"), Some("a.b"));
        assert_eq!(test_subject("ServerTests.cs"), Some("Server"));
        assert_eq!(test_subject("TestServer.java"), Some("Server"));
        assert_eq!(test_subject("Test.java"), None);
        assert_eq!(test_subject("TestServer.cs"), None);
        assert_eq!(test_subject("latest.ts"), None);
        assert_eq!(test_subject("testing.rs"), None);
    }
}
