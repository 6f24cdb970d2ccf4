//! Whether a folder could get into somebody's Git history.

use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The Git work tree whose history a folder could get into: it lies inside, and no rule of that tree ignores it. The
/// folder's own rules don't count, as it is about to be filled, nor do rules of this person alone outside of the tree:
/// where it can't be told, the folder counts as tracked.
pub fn tracking_tree(folder: &Path) -> Option<PathBuf> {
    let folder = real(folder);
    let tree = folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())?;
    if is_ignored(tree, &folder) { None } else { Some(tree.to_owned()) }
}

/// The folder with the links of what already exists resolved.
fn real(folder: &Path) -> PathBuf {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for above in whole.ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), whole.strip_prefix(above)) {
            return real.join(rest);
        }
    }
    whole
}

fn is_ignored(tree: &Path, folder: &Path) -> bool {
    let Ok(below) = folder.strip_prefix(tree) else { return false };
    let mut rules = vec![rules(tree, &[tree.join(".git/info/exclude"), tree.join(".gitignore")])];
    let mut at = tree.to_owned();
    for part in below.components() {
        at.push(part);
        // The nearest rules decide; what lies in an ignored folder is ignored whatever is said further in.
        let decided = rules.iter().rev().map(|rules| rules.matched(&at, true)).find(|found| !found.is_none());
        if matches!(decided, Some(Match::Ignore(_))) {
            return true;
        }
        if at != folder {
            rules.push(self::rules(&at, &[at.join(".gitignore")]));
        }
    }
    false
}

fn rules(folder: &Path, files: &[PathBuf]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    for file in files {
        // A rule that can't be read ignores nothing.
        let _ = builder.add(file);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_in_a_work_tree_is_tracked_unless_the_tree_ignores_it() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let tree = root.join("tree");
        fs::create_dir_all(tree.join(".git/info")).unwrap();
        fs::create_dir_all(tree.join("sub/deep")).unwrap();
        fs::write(tree.join(".gitignore"), "/out/\n*.local\n").unwrap();
        fs::write(tree.join("sub/.gitignore"), "!kept.local\n").unwrap();
        fs::write(tree.join(".git/info/exclude"), "mine\n").unwrap();
        let tracked = |name: &str| tracking_tree(&tree.join(name));
        for name in ["a", "a/out/b", "sub/kept.local", "sub/deep/new/folder", "."] {
            assert_eq!(tracked(name), Some(tree.clone()), "{name}");
        }
        for name in ["out", "out/b/c", "x.local", "sub/deep/y.local/z", "sub/mine"] {
            assert_eq!(tracked(name), None, "{name}");
        }
        assert_eq!(tracking_tree(&root.join("beside")), None);
        // A folder about to be filled can't excuse itself.
        fs::create_dir_all(tree.join("own")).unwrap();
        fs::write(tree.join("own/.gitignore"), "*\n").unwrap();
        assert_eq!(tracked("own"), Some(tree.clone()));
    }
}
