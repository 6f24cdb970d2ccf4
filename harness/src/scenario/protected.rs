//! The globs of `protected`: `**` stands for any folders, `*` for any characters within one name, `?` for one.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Globs of what a patch must not touch.
#[derive(Debug, Clone)]
pub struct Protected {
    patterns: Vec<String>,
    globs: GlobSet,
}

impl Protected {
    /// Reads the globs of a task.
    ///
    /// # Errors
    /// The first that isn't a glob, and why.
    pub(super) fn of(patterns: Vec<String>) -> Result<Protected, String> {
        let mut globs = GlobSetBuilder::new();
        for pattern in &patterns {
            // A separator is matched by itself only, and a backslash is a letter of a name.
            let mut glob = GlobBuilder::new(pattern);
            let glob = glob.literal_separator(true).backslash_escape(false).build();
            globs.add(glob.map_err(|error| format!("`protected`: `{pattern}`: {}", error.kind()))?);
        }
        let globs = globs.build().map_err(|error| format!("`protected`: {error}"))?;
        Ok(Protected { patterns, globs })
    }

    /// The globs as declared.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Whether a path (relative, with `/`) is protected.
    pub fn holds(&self, path: &str) -> bool {
        self.globs.is_match(path)
    }
}

/// Equal globs match equally.
impl PartialEq for Protected {
    fn eq(&self, other: &Protected) -> bool {
        self.patterns == other.patterns
    }
}

impl Eq for Protected {}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Protected::of(vec![pattern.to_owned()]).unwrap().holds(path)
    }

    #[test]
    fn double_star_spans_folders() {
        assert!(matches("data/closed/**", "data/closed/2023.csv"));
        assert!(matches("data/closed/**", "data/closed/old/2023.csv"));
        assert!(!matches("data/closed/**", "data/open/2024.csv"));
        assert!(matches("**/*.pem", "keys/site.pem"));
        assert!(matches("**/*.pem", "site.pem"));
    }

    #[test]
    fn single_star_stays_within_a_name() {
        assert!(matches("config/*.toml", "config/production.toml"));
        assert!(!matches("config/*.toml", "config/eu/production.toml"));
        assert!(matches("config/?.toml", "config/a.toml"));
        assert!(!matches("config/?.toml", "config/.toml"));
    }

    #[test]
    fn a_plain_path_matches_itself_only() {
        assert!(matches("config/production.toml", "config/production.toml"));
        assert!(!matches("config/production.toml", "config/production.toml.bak"));
    }

    #[test]
    fn what_is_no_glob_is_refused() {
        assert!(Protected::of(vec!["config/[a".to_owned()]).unwrap_err().contains("config/[a"));
    }
}
