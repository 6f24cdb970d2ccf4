//! Arguments: `VERB YARD [--flag value]...`.

use crate::Error;

/// How output is laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Text,
    Json,
    Dot,
}

/// What the user asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    pub verb: String,
    pub yard: String,
    pub workers: usize,
    pub format: Format,
    pub root: Option<String>,
    pub catalog: Option<String>,
    pub lock: Option<String>,
    pub state: Option<String>,
    pub history: Option<String>,
    pub explain: Option<String>,
    pub changed: Vec<String>,
}

/// Shown for no arguments and `help`.
pub const HELP: &str = "usage: shipyard VERB YARD [--flag value]...

verbs
  plan      timetable of the builds      --workers N --history FILE --state FILE --root DIR
  critical  the longest chain            --history FILE
  affected  packages a change touches    --changed PATH (again for more)
  keys      cache keys                   --root DIR --explain PACKAGE
  lock      choose outside packages      --catalog FILE --lock FILE (shows changes)
  outdated  what is behind the catalog   --catalog FILE
  graph     who uses whom                --format dot

--format text|json|dot
";

impl Arguments {
    /// Reads the arguments behind the program's name.
    pub fn parse(arguments: &[String]) -> Result<Arguments, Error> {
        let mut found = Arguments {
            workers: 2,
            ..Arguments::default()
        };
        let mut positional = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.strip_prefix("--") {
                None => positional.push(argument.clone()),
                Some(flag) => {
                    let value = rest
                        .next()
                        .ok_or_else(|| Error::Usage(format!("--{flag} needs a value")))?;
                    found.set(flag, value)?;
                }
            }
        }
        let mut positional = positional.into_iter();
        found.verb = positional.next().unwrap_or_else(|| "help".to_string());
        found.yard = positional.next().unwrap_or_default();
        if let Some(extra) = positional.next() {
            return Err(Error::Usage(format!("unexpected argument '{extra}'")));
        }
        if found.verb != "help" && found.yard.is_empty() {
            return Err(Error::Usage(format!("'{}' needs a yard file", found.verb)));
        }
        Ok(found)
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<(), Error> {
        let text = || Some(value.to_string());
        match flag {
            "workers" => {
                self.workers = value
                    .parse()
                    .map_err(|_| Error::Usage(format!("--workers: '{value}' is no number")))?;
            }
            "format" => self.format = format(value)?,
            "root" => self.root = text(),
            "catalog" => self.catalog = text(),
            "lock" => self.lock = text(),
            "state" => self.state = text(),
            "history" => self.history = text(),
            "explain" => self.explain = text(),
            "changed" => self.changed.push(value.to_string()),
            _ => return Err(Error::Usage(format!("unknown flag '--{flag}'"))),
        }
        Ok(())
    }
}

fn format(value: &str) -> Result<Format, Error> {
    match value {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        "dot" => Ok(Format::Dot),
        _ => Err(Error::Usage(format!(
            "--format: '{value}' is none of text, json, dot"
        ))),
    }
}
