//! Groups of processes: a program that is run leads one, so that nothing it started outlives it.

use std::process::{Command, Stdio};

/// Makes a command that is yet to be started lead a group of its own.
#[cfg(unix)]
pub fn lead_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Makes a command that is yet to be started lead a group of its own.
#[cfg(not(unix))]
pub fn lead_group(_command: &mut Command) {}

/// Ends what is left in the group that a process leads or led. Without such processes `kill` fails, which is the ordinary case.
#[cfg(unix)]
pub fn end_group(leader: u32) {
    let group = format!("-{leader}");
    let ended = Command::new("kill")
        .args(["-KILL", "--", &group])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    drop(ended);
}

/// Ends what is left in the group that a process leads or led.
#[cfg(not(unix))]
pub fn end_group(_leader: u32) {}
