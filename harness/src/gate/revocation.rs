//! Revoked certificates: a list beside them. A certificate on it never counts again, whatever its evidence gives. What a line
//! holds is the engine's to say ([`engine::learn::seal::Revocations`]), which reads the list too.

use std::io::ErrorKind;
use std::path::Path;

use engine::learn::seal::{Revocation, Revocations};
use jiff::civil::Date;

use super::certificate::today;
use crate::failure::Failure;
use crate::hold::Hold;
use crate::publish::publish;

/// The list, in the folder of the certificates.
const FILE: &str = "revoked.jsonl";

/// Reads the list of a folder of certificates; empty where there is none.
///
/// # Errors
/// 74 where it can't be read; 65 for a line that is none, since what it revokes can't be known.
pub fn load(certificates: &Path) -> Result<Revocations, Failure> {
    parse(certificates, &text(certificates)?)
}

/// Why a certificate of that file name doesn't count, if it was revoked.
pub fn told(list: &Revocations, name: &str) -> Option<String> {
    let Revocation { date, reason } = list.of(name)?;
    Some(format!("revoked on {date}: {reason}"))
}

/// Adds a certificate to the list of its folder; once is enough.
///
/// # Errors
/// As [`load`]; 64 for a reason that isn't one line of text.
pub fn add(certificates: &Path, name: &str, date: Date, reason: &str) -> Result<(), Failure> {
    let reason = reason.trim();
    if reason.is_empty() || reason.chars().any(char::is_control) {
        return Err(Failure::usage("reason: empty or not one line: say why in one line"));
    }
    let _alone = Hold::wait(certificates)?;
    let mut text = text(certificates)?;
    if parse(certificates, &text)?.of(name).is_some() {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let revocation = Revocation { date: today(date)?, reason: reason.to_owned() };
    text.push_str(&Revocations::line(name, &revocation));
    text.push('\n');
    publish(certificates, FILE, text.as_bytes())
}

fn text(certificates: &Path) -> Result<String, Failure> {
    let path = certificates.join(FILE);
    match crate::regular::read_text(&path) {
        Ok(text) => Ok(text),
        // A link to nothing isn't a list that revokes nothing.
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            Ok(String::new())
        }
        Err(error) => Err(Failure::io(&path, &error)),
    }
}

fn parse(certificates: &Path, text: &str) -> Result<Revocations, Failure> {
    let path = certificates.join(FILE);
    Revocations::parse(text).map_err(|error| Failure::bad_data(format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_revoked_certificate_stays_revoked_and_a_broken_list_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str| told(&load(folder.path()).unwrap(), name);
        assert_eq!(of("a.json"), None);
        let day = date(2026, 11, 30);
        add(folder.path(), "a.json", day, "the nightly canary failed").unwrap();
        add(folder.path(), "a.json", day, "again").unwrap();
        add(folder.path(), "b.json", day, "another").unwrap();
        assert_eq!(of("a.json").unwrap(), "revoked on 2026-11-30: the nightly canary failed");
        assert!(of("b.json").is_some() && of("c.json").is_none());
        assert!(add(folder.path(), "c.json", day, "two\nlines").is_err());
        #[cfg(unix)]
        {
            let other = tempfile::tempdir().unwrap();
            std::os::unix::fs::symlink("/nowhere", other.path().join(FILE)).unwrap();
            assert_eq!(load(other.path()).unwrap_err().kind.exit_code(), 74, "a list that was led away");
        }
        std::fs::write(folder.path().join(FILE), "{}\n").unwrap();
        assert_eq!(load(folder.path()).unwrap_err().kind.exit_code(), 65);
    }
}
