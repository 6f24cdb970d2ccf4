//! The globs of `protected`: `**` stands for any folders, `*` for any characters within one name, `?` for one.

/// True if `path` (with `/` between names) matches `pattern`.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    folders_match(&pattern, &path)
}

fn folders_match(pattern: &[&str], path: &[&str]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((&"**", rest)) => (0..=path.len()).any(|skipped| folders_match(rest, &path[skipped..])),
        Some((name, rest)) => path.split_first().is_some_and(|(first, others)| {
            name_matches(name.as_bytes(), first.as_bytes()) && folders_match(rest, others)
        }),
    }
}

fn name_matches(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|skipped| name_matches(rest, &name[skipped..])),
        Some((b'?', rest)) => !name.is_empty() && name_matches(rest, &name[1..]),
        Some((byte, rest)) => name.first() == Some(byte) && name_matches(rest, &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

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
}
