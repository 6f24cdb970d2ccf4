//! What is read of a repository, with the `git` command; nothing in it is written or run.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use adapters::git::{Logged, command, logged};

use crate::failure::Failure;

/// A repository: a work tree or a bare folder.
#[derive(Debug, Clone)]
pub(super) struct Repository {
    root: PathBuf,
}

/// One commit as `git log` tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) id: String,
    /// Committer's time, seconds since the epoch.
    pub(super) time_s: i64,
    pub(super) parents: usize,
    pub(super) author: String,
    pub(super) mail: String,
    pub(super) message: String,
    /// Paths that were there before: changed or removed.
    pub(super) changed: Vec<String>,
    /// Paths that were not there before.
    pub(super) added: Vec<String>,
}

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blob {
    pub(super) path: String,
    pub(super) id: String,
    pub(super) bytes: u64,
}

impl Repository {
    pub(super) fn open(root: &Path) -> Result<Repository, Failure> {
        let repository = Repository { root: root.to_owned() };
        if !root.is_dir() {
            return Err(Failure::usage(format!("{}: no folder: name a repository", root.display())));
        }
        repository.text(&["rev-parse", "--git-dir"])?;
        Ok(repository)
    }

    /// The folder's name, the name of a bare repository without `.git`.
    pub(super) fn name(&self) -> String {
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(&name).to_owned()
    }

    /// The full identifier of the commit that `revision` names.
    pub(super) fn commit(&self, revision: &str) -> Result<String, Failure> {
        let wanted = format!("{revision}^{{commit}}");
        match self.text(&["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]) {
            Ok(id) => Ok(id.trim().to_owned()),
            Err(_) => Err(Failure::usage(format!(
                "{}: no commit {revision:?}: name one that the repository holds",
                self.root.display()
            ))),
        }
    }

    /// Whether every commit that `ancestor` reaches is reached by `commit` too.
    pub(super) fn reaches(&self, commit: &str, ancestor: &str) -> Result<bool, Failure> {
        Ok(self.text(&["rev-list", "--count", ancestor, &format!("^{commit}")])?.trim() == "0")
    }

    /// A commit, its first parent, that one's first parent, to the first commit.
    pub(super) fn first_parents(&self, commit: &str) -> Result<Vec<String>, Failure> {
        let out = self.text(&["rev-list", "--first-parent", commit])?;
        Ok(out.lines().map(str::to_owned).collect())
    }

    /// Commits that `tip` reaches and `base` doesn't, parents before children.
    pub(super) fn commits(&self, base: &str, tip: &str) -> Result<Vec<Commit>, Failure> {
        let range = format!("{base}..{tip}");
        let out = self.text(&[
            "log",
            "--reverse",
            "--topo-order",
            "--no-renames",
            "--raw",
            "--no-abbrev",
            "-z",
            "--format=format:%x01%H%x00%ct%x00%P%x00%an%x00%ae%x00%B%x00",
            &range,
        ])?;
        let strange = || {
            let place = self.root.display();
            Failure::bad_data(format!("{place}: git log says what is no list of commits: try another git"))
        };
        logged(&out, 6).ok_or_else(strange)?.into_iter().map(|l| parse(l).ok_or_else(strange)).collect()
    }

    /// Whether the commit changes more in these files than blanks, line ends and empty lines.
    pub(super) fn is_substantial(&self, commit: &str, paths: &[&str]) -> Result<bool, Failure> {
        let diff = [
            "--literal-pathspecs",
            "diff-tree",
            "-r",
            "--root",
            "--no-commit-id",
            "--no-renames",
            "--numstat",
            "--ignore-all-space",
            "--ignore-blank-lines",
            "-z",
            commit,
            "--",
        ];
        let out = self.text(&[&diff, paths].concat())?;
        Ok(out.split('\0').any(|line| !line.is_empty() && !line.starts_with("0\t0\t")))
    }

    /// The messages of every commit that `base` reaches.
    pub(super) fn past_messages(&self, base: &str) -> Result<Vec<String>, Failure> {
        let out = self.text(&["log", "--no-merges", "-z", "--format=format:%B", base])?;
        Ok(out.split('\0').map(str::to_owned).collect())
    }

    /// The regular files of a commit's tree, by path. Paths that aren't Unicode are left out.
    pub(super) fn files(&self, commit: &str) -> Result<Vec<Blob>, Failure> {
        let out = self.bytes(&["ls-tree", "-r", "-z", "-l", "--full-tree", commit], Stdio::null())?;
        let mut files: Vec<Blob> =
            out.split(|&b| b == 0).filter_map(|line| blob(std::str::from_utf8(line).ok()?)).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// The bytes of each blob, in order.
    pub(super) fn read(&self, blobs: &[Blob]) -> Result<Vec<Vec<u8>>, Failure> {
        let asked = || -> io::Result<File> {
            use io::{Seek as _, Write as _};
            let mut file = tempfile::tempfile()?;
            for blob in blobs {
                writeln!(file, "{}", blob.id)?;
            }
            file.rewind()?;
            Ok(file)
        };
        let asked = asked().map_err(|error| Failure::io("temporary file", &error))?;
        let out = self.bytes(&["cat-file", "--batch"], Stdio::from(asked))?;
        let mut rest = out.as_slice();
        blobs.iter().map(|blob| take_blob(&mut rest).ok_or_else(|| self.missing(blob))).collect()
    }

    fn missing(&self, blob: &Blob) -> Failure {
        Failure::bad_data(format!(
            "{}: {}: its content isn't stored: fetch the whole history",
            self.root.display(),
            blob.path
        ))
    }

    fn text(&self, arguments: &[&str]) -> Result<String, Failure> {
        Ok(String::from_utf8_lossy(&self.bytes(arguments, Stdio::null())?).into_owned())
    }

    fn bytes(&self, arguments: &[&str], input: Stdio) -> Result<Vec<u8>, Failure> {
        let output = command(&self.root)
            .args(arguments)
            .stdin(input)
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| Failure::io("git", &error))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("no message");
        let verb = arguments.iter().find(|argument| !argument.starts_with('-')).unwrap_or(&"");
        Err(Failure::bad_data(format!("{}: git {verb}: {said}", self.root.display())))
    }
}

/// A commit of six fields.
fn parse(logged: Logged<'_>) -> Option<Commit> {
    let [id, time, parents, author, mail, message] = logged.fields[..] else { return None };
    let mut commit = Commit {
        id: id.to_owned(),
        time_s: time.parse().ok()?,
        parents: parents.split_whitespace().count(),
        author: author.to_owned(),
        mail: mail.to_owned(),
        message: message.to_owned(),
        ..Commit::default()
    };
    for (meta, path) in logged.changes {
        let status = meta.split(' ').nth(4)?;
        let list = if status.starts_with('A') { &mut commit.added } else { &mut commit.changed };
        list.push(path.to_owned());
    }
    Some(commit)
}

/// `100644 blob <id> <bytes>\t<path>`.
fn blob(line: &str) -> Option<Blob> {
    let (meta, path) = line.split_once('\t')?;
    let mut fields = meta.split_whitespace();
    let mode = fields.next()?;
    let regular = matches!(mode, "100644" | "100755") && fields.next()? == "blob";
    let id = fields.next().filter(|_| regular)?.to_owned();
    Some(Blob { path: path.to_owned(), id, bytes: fields.next()?.parse().ok()? })
}

/// `<id> blob <bytes>\n`, the bytes, `\n`.
fn take_blob(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let end = memchr::memchr(b'\n', rest)?;
    let head = std::str::from_utf8(&rest[..end]).ok()?;
    let mut fields = head.split(' ');
    let bytes: usize = fields.nth(2)?.parse().ok()?;
    let content = rest.get(end + 1..end + 1 + bytes)?.to_vec();
    *rest = rest.get(end + bytes + 2..)?;
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_taken_apart() {
        let output = "\u{1}aa\u{0}7\u{0}p q\u{0}Jo\u{1}\u{0}jo@x.org\u{0}subject\u{2}\u{3}\n\nbody\n\0\n:100644 100644 b c M\0a b.rs\0:000000 100644 0 d A\0new.rs\0\0";
        let [logged] = <[Logged<'_>; 1]>::try_from(logged(output, 6).unwrap()).unwrap();
        let commit = parse(logged).unwrap();
        assert_eq!((commit.id.as_str(), commit.time_s, commit.parents), ("aa", 7, 2));
        assert_eq!(
            (commit.author.as_str(), commit.message.as_str()),
            ("Jo\u{1}", "subject\u{2}\u{3}\n\nbody\n")
        );
        assert_eq!((commit.changed, commit.added), (vec!["a b.rs".to_owned()], vec!["new.rs".to_owned()]));
    }

    #[test]
    fn blobs_are_cut_by_their_length() {
        let mut rest: &[u8] = b"aa blob 3\na\nb\nbb blob 0\n\ncc missing\n";
        assert_eq!(take_blob(&mut rest).unwrap(), b"a\nb");
        assert_eq!(take_blob(&mut rest).unwrap(), b"");
        assert_eq!(take_blob(&mut rest), None);
    }

    #[test]
    fn only_regular_files_are_listed() {
        let path = |line| blob(line).map(|blob| (blob.path, blob.bytes));
        assert_eq!(path("100644 blob aa     12\ta b.rs"), Some(("a b.rs".to_owned(), 12)));
        assert_eq!(path("120000 blob aa     12\tlink"), None);
        assert_eq!(path("160000 commit aa       -\tmodule"), None);
    }
}
