//! Whether the learned order of files counts here: the shipped model with the certificate of its promotion.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use engine::builtin::Settings;
use engine::learn::seal::{Day, Ground, Revocations, SealError, Sealed};
use engine::learn::{Learned, SHIPPED_ARTIFACT};

use super::failure::Failure;
use crate::regular::read_regular;

/// Certificates that never count again, in the folder of a certificate.
const REVOKED: &str = "revoked.jsonl";

/// Which order of files is asked for.
#[derive(Debug, Args)]
pub(super) struct OrderArguments {
    /// Certificate of the learned ranking's promotion: files go by it where the certificate counts for this build, this
    /// budget and this day; otherwise the order stays static and why is said
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// The day on which it should count, YYYY-MM-DD [default: today, UTC]
    #[arg(long, value_name = "DATE", requires = "certificate")]
    as_of: Option<Day>,
}

/// The learned order that was asked for, and why it doesn't count, if it doesn't.
pub(super) struct Order {
    /// For a ranker: without a seal it keeps the static order.
    pub(super) learned: Learned,
    /// What stands against the certificate.
    pub(super) refused: Option<SealError>,
}

impl OrderArguments {
    /// Whether a certificate is given.
    pub(super) fn is_asked(&self) -> bool {
        self.certificate.is_some()
    }

    /// The order that is asked for; none where nobody asks for another than the static one.
    ///
    /// # Errors
    /// 74 where the certificate or the list of revocations beside it can't be read.
    pub(super) fn order(&self, settings: &Settings) -> Result<Option<Order>, Failure> {
        let Some(file) = &self.certificate else { return Ok(None) };
        let sealed = sealed(file, self.as_of.map_or_else(today, Ok)?, settings)?;
        let refused = sealed.as_ref().err().cloned();
        Ok(Some(Order { learned: Learned::active(sealed), refused }))
    }
}

fn sealed(file: &Path, as_of: Day, settings: &Settings) -> Result<Result<Sealed, SealError>, Failure> {
    let text = read(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let list = file.with_file_name(REVOKED);
    let revoked = match read_regular(&list) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Failure::io(&format!("read {}", list.display()), &error)),
    };
    let parsed = str::from_utf8(&revoked).map_err(|error| error.to_string());
    let parsed = parsed.and_then(|text| Revocations::parse(text).map_err(|error| error.to_string()));
    let revocations = match parsed {
        Ok(revocations) => revocations,
        Err(message) => return Ok(Err(SealError::RevocationsUnreadable(message))),
    };
    let configuration = settings.canonical_config();
    let ground = Ground { configuration: &configuration, as_of, revocations: &revocations };
    Ok(Sealed::verify(SHIPPED_ARTIFACT, (&name, &text), &ground))
}

/// A certificate that is no text is one with bytes that its name doesn't tell: replacement characters keep it so.
fn read(file: &Path) -> Result<String, Failure> {
    let bytes =
        read_regular(file).map_err(|error| Failure::io(&format!("read {}", file.display()), &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The only look at a clock.
fn today() -> Result<Day, Failure> {
    let date = jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date();
    date.to_string().parse().map_err(|error| Failure::internal(format!("today: {error}")))
}
