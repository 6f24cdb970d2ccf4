//! The command line's own manners.

use assert_cmd::Command;

fn harness() -> Command {
    Command::new(env!("CARGO_BIN_EXE_harness"))
}

#[test]
fn an_unknown_flag_is_a_usage_error() {
    harness().arg("--no-such-flag").assert().code(64);
}

#[test]
fn help_is_success_on_standard_output() {
    let help = harness().arg("--help").assert().success();
    assert!(String::from_utf8_lossy(&help.get_output().stdout).contains("Usage: harness"));
}

/// What an argument belongs to isn't missed where something else excludes it: each is refused by name.
#[test]
fn an_argument_that_would_count_for_nothing_is_refused() {
    let excluded: [(&[&str], &str); 11] = [
        (&["train", "--rows", "r", "--only", "a"], "--only"),
        (&["train", "--rows", "r", "--minimum", "5"], "--minimum"),
        (&["train", "--from", "d", "--skip-malformed"], "--skip-malformed"),
        (&["train", "--labels", "l", "--trees", "5"], "--trees"),
        (&["train", "--labels", "l", "--split", "time"], "--split"),
        (&["train", "--labels", "l", "--seed", "1"], "--seed"),
        (&["power", "--simulate", "2", "--brief"], "--brief"),
        (&["power", "--size", "0.9", "--policy", "p"], "--policy"),
        (&["power", "--reports", "d", "--scenarios", "5"], "--scenarios"),
        (&["power", "--reports", "d", "--as-of", "2026-12-01"], "--as-of"),
        (&["import", "logs", "--dry-run", "--redact-key", "k"], "--redact-key"),
    ];
    for (arguments, argument) in excluded {
        let refused = harness().args(arguments).assert().code(64);
        let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(told.contains("cannot be used with") && told.contains(argument), "{arguments:?}: {told}");
    }
}
