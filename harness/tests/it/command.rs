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
