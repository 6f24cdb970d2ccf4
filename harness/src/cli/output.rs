//! The only way to the terminal: data on standard output, everything else on standard error, a broken pipe is success.

use std::io::{self, IsTerminal as _, Write};
use std::process::ExitCode;

use adapters::cli::{shown, usage_line, visible};
use clap::error::ErrorKind;

use crate::failure::{Failure, Kind};

/// Prints `text` to standard output: as it is, but on a terminal so that all of it shows.
///
/// # Errors
/// Anything but a broken pipe, which is success: the reader has seen enough.
pub fn data(text: &str) -> Result<(), Failure> {
    if io::stdout().is_terminal() { bytes(shown(text).as_bytes()) } else { bytes(text.as_bytes()) }
}

/// Prints bytes to standard output as they are.
///
/// # Errors
/// As [`data`].
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("standard output", &error))
        }
        _ => Ok(()),
    }
}

/// Prints text with colour codes to standard output; they are left out where it isn't a terminal or `NO_COLOR` is set.
///
/// # Errors
/// As [`data`].
pub fn coloured(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("standard output", &error))
        }
        _ => Ok(()),
    }
}

/// Prints one JSON value and a newline to standard output.
///
/// # Errors
/// As [`data`].
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    bytes(json_text(value)?.as_bytes())
}

/// The lines that [`json`] prints.
///
/// # Errors
/// A value that can't be written (70): none should exist.
pub fn json_text(value: &serde_json::Value) -> Result<String, Failure> {
    let text =
        serde_json::to_string_pretty(value).map_err(|e| Failure::internal(format!("json output: {e}")))?;
    Ok(text + "\n")
}

/// Prints one line to standard error.
pub fn note(text: &str) {
    // Nothing sensible is left to do when standard error is closed.
    let _ = writeln!(anstream::stderr().lock(), "{}", visible(text));
}

/// Reports a failure in one line and gives its exit code.
pub fn failure(failure: &Failure) -> ExitCode {
    note(&format!("harness: {failure}"));
    ExitCode::from(failure.kind.exit_code())
}

/// Help and version are data and success; anything else is a usage error, said in one line.
pub fn clap_error(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Printing fails only when the terminal is gone.
        let _ = error.print();
    } else {
        note(&format!("harness: {}", usage_line(error)));
    }
    if error.use_stderr() { ExitCode::from(Kind::Usage.exit_code()) } else { ExitCode::SUCCESS }
}
