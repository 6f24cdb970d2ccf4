//! Which of a task's programs this machine has.

use std::path::Path;
use std::time::Duration;

use super::Scenario;
use super::command::Surroundings;

/// Oldest versions that run the fixtures (major, minor).
const MINIMUM: [(&str, (u32, u32)); 4] =
    [("cargo", (1, 85)), ("node", (20, 0)), ("python3", (3, 11)), ("rustc", (1, 85))];
const LIMIT: Duration = Duration::from_secs(30);

/// Why each missing program doesn't do, in the order of `runtime`; empty if the task can be run.
pub fn missing(scenario: &Scenario, surroundings: &Surroundings, folder: &Path) -> Vec<String> {
    scenario.runtime.iter().filter_map(|program| fault(program, surroundings, folder)).collect()
}

fn fault(program: &str, surroundings: &Surroundings, folder: &Path) -> Option<String> {
    let argv = [program.to_owned(), "--version".to_owned()];
    let found = match surroundings.run(&argv, folder, LIMIT) {
        Ok(ended) if ended.success() => version(&ended.stdout_tail),
        _ => return Some(format!("{program} isn't there")),
    };
    let (_, minimum) = MINIMUM.iter().find(|(name, _)| *name == program)?;
    let wanted = format!("{}.{}", minimum.0, minimum.1);
    match found {
        Some(found) if found >= *minimum => None,
        Some((major, minor)) => Some(format!("{program} {major}.{minor} is older than {wanted}")),
        None => Some(format!("{program} doesn't tell its version, {wanted} is needed")),
    }
}

/// First `major.minor` in an answer such as `v20.20.2`, `Python 3.11.7` or `cargo 1.95.0 (…)`.
fn version(answer: &str) -> Option<(u32, u32)> {
    let digits = &answer[answer.find(|c: char| c.is_ascii_digit())?..];
    let mut parts = digits.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn reads_what_programs_answer() {
        assert_eq!(version("v20.20.2\n"), Some((20, 20)));
        assert_eq!(version("Python 3.11.7\n"), Some((3, 11)));
        assert_eq!(version("cargo 1.95.0 (abc 2026-01-01)\n"), Some((1, 95)));
        assert_eq!(version("unknown"), None);
    }
}
