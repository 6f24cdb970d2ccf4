//! What a stored final patch changes.

use std::collections::BTreeMap;

/// Lines that a patch adds to and removes from one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChange {
    /// Added lines, without the sign.
    pub added: Vec<String>,
    /// Removed lines, without the sign.
    pub removed: Vec<String>,
}

/// A unified diff by file, paths relative to the root. A renamed file stands under both names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// Changes by path.
    pub files: BTreeMap<String, FileChange>,
}

impl Patch {
    /// Reads a diff as `git diff` writes it. Text that is no part of a diff changes nothing.
    pub fn parse(text: &str) -> Patch {
        let mut patch = Patch::default();
        let mut file: Option<String> = None;
        // Lines still to come in the present hunk: old side, new side.
        let mut left = (0_u64, 0_u64);
        for line in text.lines() {
            if left != (0, 0) {
                let change = file.as_ref().map(|name| patch.files.entry(name.clone()).or_default());
                match (line.as_bytes().first(), change) {
                    (Some(b'+'), Some(change)) => {
                        left.1 = left.1.saturating_sub(1);
                        change.added.push(line[1..].to_owned());
                    }
                    (Some(b'-'), Some(change)) => {
                        left.0 = left.0.saturating_sub(1);
                        change.removed.push(line[1..].to_owned());
                    }
                    (Some(b'\\'), _) => {}
                    _ => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
                }
                continue;
            }
            if let Some(names) = line.strip_prefix("diff --git ") {
                file = names.rsplit_once(" b/").map(|(_, new)| new.trim_end_matches('"').to_owned());
                if let Some(name) = &file {
                    patch.files.entry(name.clone()).or_default();
                }
            } else if let Some(old) = line.strip_prefix("rename from ") {
                patch.files.entry(old.to_owned()).or_default();
            } else if let Some(name) = line.strip_prefix("+++ b/").or_else(|| line.strip_prefix("--- a/")) {
                file = Some(name.trim_end_matches('\t').to_owned());
                patch.files.entry(name.trim_end_matches('\t').to_owned()).or_default();
            } else if let Some(header) = line.strip_prefix("@@ -") {
                left = hunk_lengths(header).unwrap_or((0, 0));
            }
        }
        patch
    }

    /// Paths it changes, sorted.
    pub fn touched(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }

    /// Every line it adds.
    pub fn added(&self) -> impl Iterator<Item = &str> {
        self.files.values().flat_map(|change| change.added.iter().map(String::as_str))
    }
}

/// `1,3 +1,4 @@ …` → (3, 4); an omitted length is 1.
fn hunk_lengths(header: &str) -> Option<(u64, u64)> {
    let (old, rest) = header.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let length = |side: &str| match side.split_once(',') {
        Some((_, length)) => length.parse().ok(),
        None => Some(1),
    };
    Some((length(old)?, length(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_changes_new_files_and_lines_that_look_like_headers() {
        let text = "diff --git a/x/a.py b/x/a.py\nindex 1..2 100644\n--- a/x/a.py\n+++ b/x/a.py\n@@ -1,3 +1,3 @@ def f\n \
                    keep\n--- old\n+++ b/new\n keep\ndiff --git a/n.txt b/n.txt\nnew file mode 100644\n--- /dev/null\n\
                    +++ b/n.txt\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n";
        let patch = Patch::parse(text);
        assert_eq!(patch.touched().collect::<Vec<_>>(), ["n.txt", "x/a.py"]);
        let change = &patch.files["x/a.py"];
        assert_eq!(
            (change.added.as_slice(), change.removed.as_slice()),
            (&["++ b/new".to_owned()][..], &["-- old".to_owned()][..])
        );
        assert_eq!(patch.added().collect::<Vec<_>>(), ["one", "++ b/new"]);
    }

    #[test]
    fn a_rename_touches_both_names() {
        let text =
            "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n";
        assert_eq!(Patch::parse(text).touched().collect::<Vec<_>>(), ["new.py", "old.py"]);
    }
}
