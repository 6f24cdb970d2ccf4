//! Looks: which corpus was judged under which policy section, kept beside the corpus in `looks.jsonl`.
//!
//! Judging a campaign, extending it and judging again spends the error level twice. A look is one line, written when a
//! campaign is recorded and when a promotion is asked for, never by an ordinary gate; the same look isn't written twice. A
//! line holds the hash of the line before, so that none can be taken out unseen.
//!
//! A corpus is never changed after its first look. A planned extension is a further corpus, and the policy's plan says how
//! much of the error level each look may spend.

use std::io::ErrorKind;
use std::path::Path;

use engine::message::sha256_hex;
use serde::{Deserialize, Serialize};

use crate::corpus::{Corpus, Fault, FaultCode, Scope, inside};
use crate::failure::Failure;
use crate::hold::Hold;
use crate::publish::publish;

/// Version of a line.
const SCHEMA: &str = "look/2";
/// The version without the hash of the line before.
const UNCHAINED: &str = "look/1";
/// The file beside the corpus.
const FILE: &str = "looks.jsonl";

/// One look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Hash of the corpus.
    pub corpus_sha256: String,
    /// Runs that the corpus scheduled.
    pub scheduled: usize,
    /// Runs of them with a result.
    pub recorded: usize,
    /// Hash of the policy section.
    pub policy_sha256: String,
    /// Hash of the price pack that the section names; none where it isn't told.
    pub prices_sha256: Option<String>,
    /// Feature judged.
    pub feature: String,
    /// The date, `YYYY-MM-DD`.
    pub as_of: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    schema: String,
    corpus_sha256: String,
    #[serde(default)]
    scheduled: Option<usize>,
    #[serde(default)]
    recorded: Option<usize>,
    policy_sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prices_sha256: Option<String>,
    feature: String,
    as_of: String,
    /// SHA-256 of the line before, none for the first.
    #[serde(default)]
    previous: Option<String>,
}

/// What the looks kept beside a corpus say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looks {
    /// Different corpora that were looked at: 1 where nothing was changed since the first.
    pub taken: usize,
    /// What speaks against the evidence being what was registered.
    pub faults: Vec<Fault>,
}

impl Look {
    /// A look at a corpus.
    pub fn at(corpus: &Corpus, policy_sha256: &str, feature: &str, as_of: &str) -> Look {
        Look {
            corpus_sha256: corpus.sha256.clone(),
            scheduled: corpus.manifest.schedule.runs(),
            recorded: corpus.rows.values().filter(|row| row.result().is_some()).count(),
            policy_sha256: policy_sha256.to_owned(),
            prices_sha256: None,
            feature: feature.to_owned(),
            as_of: as_of.to_owned(),
        }
    }

    /// The same with the price pack that costs are computed with: prices that change afterwards are as good as a margin.
    #[must_use]
    pub fn at_prices(self, sha256: String) -> Look {
        Look { prices_sha256: Some(sha256), ..self }
    }

    /// Adds the look to a corpus folder, unless the same corpus, policy and feature stand there already: registers the
    /// campaign where it is the first.
    ///
    /// # Errors
    /// 74 where the file can't be read or written, 65 where a line of it is no look.
    pub fn record(&self, corpus: &Path) -> Result<(), Failure> {
        self.add(corpus, true)
    }

    /// Adds the look to earlier ones of its feature. Where there is none nothing is written: a promotion can't register the
    /// campaign that it is asked for.
    ///
    /// # Errors
    /// As [`Look::record`].
    pub fn record_again(&self, corpus: &Path) -> Result<(), Failure> {
        self.add(corpus, false)
    }

    fn add(&self, corpus: &Path, register: bool) -> Result<(), Failure> {
        let _alone = Hold::wait(corpus)?;
        let path = corpus.join(FILE);
        let mut text = read(corpus)?.unwrap_or_default();
        let mut registered = register;
        for (index, line) in lines(&text).enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|error| {
                Failure::bad_data(format!("{}:{}: {error}: mend the line", path.display(), index + 1))
            })?;
            let known = (&line.corpus_sha256, &line.policy_sha256, &line.feature);
            if known == (&self.corpus_sha256, &self.policy_sha256, &self.feature) {
                return Ok(());
            }
            registered |= line.feature == self.feature;
        }
        if !registered {
            return Ok(());
        }
        let previous = lines(&text).last().map(|line| sha256_hex(line.as_bytes()));
        let line = Line {
            schema: SCHEMA.to_owned(),
            corpus_sha256: self.corpus_sha256.clone(),
            scheduled: Some(self.scheduled),
            recorded: Some(self.recorded),
            policy_sha256: self.policy_sha256.clone(),
            prices_sha256: self.prices_sha256.clone(),
            feature: self.feature.clone(),
            as_of: self.as_of.clone(),
            previous,
        };
        let line =
            serde_json::to_string(&line).map_err(|error| Failure::internal(format!("{FILE}: {error}")))?;
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
        text.push('\n');
        publish(corpus, FILE, text.as_bytes())
    }

    /// Compares the looks kept beside a corpus with this one, the look that is being taken.
    ///
    /// # Errors
    /// 74 where the file can't be read.
    pub fn compare(&self, corpus: &Path) -> Result<Looks, Failure> {
        let Some(text) = read(corpus)? else {
            return Ok(Looks {
                taken: 0,
                faults: vec![fault("no look is kept: `harness record` writes one")],
            });
        };
        let mut looks = Looks::default();
        let mut seen: Vec<String> = Vec::new();
        let mut previous: Option<&str> = None;
        let mut own = false;
        for (index, raw) in lines(&text).enumerate() {
            let number = index + 1;
            let line = match serde_json::from_str::<Line>(raw) {
                Ok(line) => line,
                Err(error) => {
                    looks.faults.push(fault(format!("{FILE} line {number}: not a look: {error}")));
                    continue;
                }
            };
            if !follows(&line, previous) {
                let message = "doesn't follow from the line before: a look was taken out or changed";
                looks.faults.push(fault(format!("{FILE} line {number}: {message}")));
            }
            previous = Some(raw);
            if line.feature != self.feature {
                continue;
            }
            if !seen.contains(&line.corpus_sha256) {
                seen.push(line.corpus_sha256.clone());
            }
            let same = self.differences(&line, &mut looks.faults);
            own |= same;
        }
        if !own {
            looks.faults.push(fault("no look is kept at this corpus under this policy section"));
        }
        looks.taken = seen.len();
        Ok(looks)
    }

    /// Reports what has changed since an earlier look; whether nothing has.
    fn differences(&self, line: &Line, faults: &mut Vec<Fault>) -> bool {
        let since = format!("since the look of {}", line.as_of);
        let corpus = line.corpus_sha256 == self.corpus_sha256;
        if !corpus {
            let count = |scheduled: Option<usize>, recorded: Option<usize>| match (scheduled, recorded) {
                (Some(scheduled), Some(recorded)) => format!("{recorded} of {scheduled} runs"),
                _ => "an unknown number of runs".to_owned(),
            };
            let (then, now) =
                (count(line.scheduled, line.recorded), count(Some(self.scheduled), Some(self.recorded)));
            faults.push(fault(format!(
                "the corpus has changed {since} ({then} then, {now} now): runs were dropped, added or replaced"
            )));
        }
        let policy = line.policy_sha256 == self.policy_sha256;
        if !policy {
            faults.push(fault(format!(
                "the policy section has changed {since}: a margin or another term isn't the registered one"
            )));
        }
        // A look that tells no prices registers none: to take them out of it would let them change.
        let prices = self.prices_sha256.is_none() || line.prices_sha256 == self.prices_sha256;
        if !prices {
            faults.push(fault(match line.prices_sha256 {
                Some(_) => {
                    format!("the price pack has changed {since}: costs aren't at the registered prices")
                }
                None => format!("a look tells no price pack ({since}): record the campaign again"),
            }));
        }
        corpus && policy && prices
    }
}

fn follows(line: &Line, previous: Option<&str>) -> bool {
    match line.schema.as_str() {
        SCHEMA => line.previous == previous.map(|text| sha256_hex(text.as_bytes())),
        UNCHAINED => line.previous.is_none(),
        _ => false,
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

fn fault(message: impl Into<String>) -> Fault {
    Fault::new(FaultCode::NotPreregistered, Scope::default(), message)
}

/// The file's text; none where there is none.
fn read(corpus: &Path) -> Result<Option<String>, Failure> {
    let path = inside(corpus, FILE).map_err(|message| {
        Failure::bad_data(format!("{}: {message}: put the file itself there", corpus.display()))
    })?;
    match crate::regular::read_text(&path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::io(&path, &error)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn look(corpus: &str, policy: &str) -> Look {
        Look {
            corpus_sha256: corpus.to_owned(),
            scheduled: 12,
            recorded: 12,
            policy_sha256: policy.to_owned(),
            prices_sha256: None,
            feature: "f".to_owned(),
            as_of: "2026-11-30".to_owned(),
        }
    }

    fn messages(look: &Look, folder: &Path) -> Vec<String> {
        look.compare(folder).unwrap().faults.into_iter().map(|fault| fault.message).collect()
    }

    #[test]
    fn a_look_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        for corpus in ["one", "one", "two"] {
            look(corpus, "p").record(folder.path()).unwrap();
        }
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert_eq!(text.lines().count(), 2);
        fs::write(folder.path().join(FILE), "no json\n").unwrap();
        assert!(look("three", "p").record(folder.path()).is_err());
    }

    /// Prices could be set after the runs so that the candidate was the cheaper one.
    #[test]
    fn prices_that_changed_after_the_first_look_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let at = |prices: &str| look("one", "p").at_prices(prices.to_owned());
        look("one", "p").record(folder.path()).unwrap();
        let told = messages(&at("dear"), folder.path());
        assert!(
            told[0].contains("a look tells no price pack"),
            "taken out of it, they could change: {told:?}"
        );
        let folder = tempfile::tempdir().unwrap();
        at("dear").record(folder.path()).unwrap();
        assert_eq!(messages(&at("dear"), folder.path()), [""; 0]);
        let told = messages(&at("cheap"), folder.path());
        assert!(told[0].contains("the price pack has changed since"), "{told:?}");
        assert_eq!(told.len(), 2, "no look is kept at these prices: {told:?}");
    }

    /// A promotion wrote the look that it then found, so that looks that had been deleted were missed by nobody.
    #[test]
    fn a_promotion_registers_no_campaign() {
        let folder = tempfile::tempdir().unwrap();
        let none = "no look is kept: `harness record` writes one";
        for _ in 0..2 {
            look("one", "p").record_again(folder.path()).unwrap();
            assert_eq!(messages(&look("one", "p"), folder.path()), [none]);
        }
        let other = Look { feature: "g".to_owned(), ..look("one", "p") };
        other.record(folder.path()).unwrap();
        look("one", "p").record_again(folder.path()).unwrap();
        let told = messages(&look("one", "p"), folder.path());
        assert_eq!(told, ["no look is kept at this corpus under this policy section"]);
        other.record_again(folder.path()).unwrap();
        Look { policy_sha256: "q".to_owned(), ..other }.record_again(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap().lines().count(), 2);
    }

    /// Two commands read the list, and the second wrote it without the line of the first.
    #[test]
    fn looks_that_are_written_at_once_all_stand_there() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..16).map(|number| number.to_string()).collect();
        std::thread::scope(|scope| {
            for name in &names {
                scope.spawn(|| look(name, "p").record(folder.path()).unwrap());
            }
        });
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert_eq!(text.lines().count(), names.len());
        assert!(!messages(&look("0", "p"), folder.path()).iter().any(|told| told.contains("doesn't follow")));
    }

    #[test]
    fn a_corpus_or_policy_that_changed_after_the_first_look_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let first = look("one", "p");
        assert_eq!(messages(&first, folder.path()), ["no look is kept: `harness record` writes one"]);
        first.record(folder.path()).unwrap();
        assert_eq!(first.compare(folder.path()).unwrap(), Looks { taken: 1, faults: Vec::new() });
        let dropped = Look { recorded: 11, ..look("two", "p") };
        let told = messages(&dropped, folder.path());
        assert!(told[0].contains("12 of 12 runs then, 11 of 12 runs now"), "{told:?}");
        assert!(messages(&look("one", "q"), folder.path())[0].contains("a margin or another term"));
        dropped.record(folder.path()).unwrap();
        assert_eq!(dropped.compare(folder.path()).unwrap().taken, 2);
        assert_eq!(
            messages(&dropped, folder.path()).len(),
            1,
            "the look itself doesn't heal what it looks at"
        );
    }

    #[test]
    fn taking_out_any_look_is_told() {
        let folder = tempfile::tempdir().unwrap();
        look("one", "p").record(folder.path()).unwrap();
        look("two", "p").record(folder.path()).unwrap();
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        for removed in 0..2 {
            let rest: String = text
                .lines()
                .enumerate()
                .filter(|(index, _)| *index != removed)
                .map(|(_, line)| format!("{line}\n"))
                .collect();
            fs::write(folder.path().join(FILE), rest).unwrap();
            assert!(!messages(&look("two", "p"), folder.path()).is_empty(), "line {removed}");
        }
    }
}
