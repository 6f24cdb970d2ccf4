//! The redactor: one search, two ways to replace.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::catalogue::{Class, kinds};
use super::pseudonym::Pseudonyms;
use super::scan::{self, Found};
use super::{json, mask, person};

/// How often masked text is searched again. One round is the rule; each can only add.
const MAX_ROUNDS: usize = 8;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Keys, tokens, passwords.
    pub secrets: bool,
    /// Home folders' owners, e-mail addresses, persons' names.
    pub personal: bool,
}

impl Policy {
    /// Secrets alone.
    pub const SECRETS: Policy = Policy { secrets: true, personal: false };
    /// Everything the catalogue knows.
    pub const ALL: Policy = Policy { secrets: true, personal: true };

    fn wants(self, class: Class) -> bool {
        match class {
            Class::Secret => self.secrets,
            Class::Personal => self.personal,
        }
    }
}

/// What was found, and where. Never what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Name of its kind, see [`kinds`](super::kinds).
    pub kind: &'static str,
    /// How private it is.
    pub class: Class,
    /// Its place in bytes of the input, at boundaries of characters.
    pub range: Range<usize>,
}

/// Text in which everything private was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The input with the replacements.
    pub text: Cow<'t, str>,
    /// What was replaced: in order, disjoint.
    pub findings: Vec<Finding>,
}

/// Finds and replaces what a policy names. Cheap to share between threads: it holds no state that a call changes.
#[derive(Debug, Clone)]
pub struct Redactor {
    policy: Policy,
    pseudonyms: Pseudonyms,
    names: BTreeSet<String>,
}

impl Redactor {
    /// A redactor whose pseudonyms `key` decides. Whoever has the key can test guesses against pseudonyms: keep it as private
    /// as the input, or forget it.
    pub fn new(policy: Policy, key: &[u8]) -> Redactor {
        Redactor { policy, pseudonyms: Pseudonyms::new(key), names: BTreeSet::new() }
    }

    /// Also replaces these users' names wherever they stand as whole words, whatever the case of their letters. Names that
    /// aren't specific enough (`user`, `bob`, `rust`) are left out; see `docs/redaction.md`.
    #[must_use]
    pub fn with_names(mut self, names: impl IntoIterator<Item = String>) -> Redactor {
        self.names.extend(names.into_iter().filter(|n| person::is_specific(n)).map(|n| n.to_lowercase()));
        self
    }

    /// The users' names that the paths in `text` tell and that are specific enough to be looked for elsewhere. The union over
    /// all texts, given to [`Redactor::with_names`], makes a second pass over them consistent.
    pub fn names_in(text: &str) -> BTreeSet<String> {
        let user = scan::user_kind();
        let found = scan::scan(text, |class| class == Class::Personal);
        let names = found.iter().filter(|f| f.kind == user).map(|f| text[f.range.clone()].to_lowercase());
        names.filter(|name| person::is_specific(name)).collect()
    }

    /// Everything private in `text`.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        self.search(text).iter().map(finding).collect()
    }

    /// Replaces by `[redacted:KIND]`. Line breaks are kept, so line numbers stay true; masking twice changes nothing.
    pub fn mask<'t>(&self, text: &'t str) -> Redacted<'t> {
        let found = self.search(text);
        let findings = found.iter().map(finding).collect();
        if found.is_empty() {
            return Redacted { text: Cow::Borrowed(text), findings };
        }
        Redacted { text: Cow::Owned(mask::write(text, &found).0), findings }
    }

    /// Replaces by pseudonyms: the same value becomes the same replacement in every text.
    pub fn redact_text<'t>(&self, text: &'t str) -> Redacted<'t> {
        replace(text, self.search(text), |found, value| self.pseudonym(found.kind, value))
    }

    /// [`Redactor::redact_text`] of the value of a member called `name`: what the name says counts as if it stood before.
    pub fn redact_field<'t>(&self, name: &str, value: &'t str) -> Redacted<'t> {
        if self.policy.secrets
            && let Some(kind) = scan::scan_value(name, value)
        {
            let whole = vec![Found { kind, range: 0..value.len() }];
            return replace(value, whole, |found, value| self.pseudonym(found.kind, value));
        }
        self.redact_text(value)
    }

    /// [`Redactor::redact_field`] for every string of a JSON text, decoded first, so that nothing hides behind an escape. Names
    /// of members are redacted too. Everything else keeps its bytes.
    ///
    /// # Errors
    /// Where `text` isn't one JSON value. Nothing of it should pass then, or only as [`Redactor::redact_text`].
    pub fn redact_json(&self, text: &str) -> Result<String, json::JsonError> {
        json::map_strings(text, |name, value| match name {
            Some(name) => self.redact_field(name, value).text.into_owned(),
            None => self.redact_text(value).text.into_owned(),
        })
    }

    fn pseudonym(&self, kind: usize, value: &str) -> String {
        let kind = kinds()[kind];
        match kind.name {
            "user-name" => self.pseudonyms.user(value),
            "e-mail" => self.pseudonyms.mail(value),
            "person-name" => self.pseudonyms.person(value),
            _ => self.pseudonyms.secret(value),
        }
    }

    /// Everything private, and what only shows once that is masked: a mask changes what stands beside it. So masked text holds
    /// nothing that this redactor would find.
    fn search(&self, text: &str) -> Vec<Found> {
        let mut found = self.search_once(text);
        for _ in 0..MAX_ROUNDS {
            if found.is_empty() {
                break;
            }
            let (masked, places) = mask::write(text, &found);
            let more = self.search_once(&masked);
            if more.is_empty() {
                break;
            }
            found.extend(more.into_iter().map(|f| Found { kind: f.kind, range: places.source(&f.range) }));
            found = scan::resolve(found);
        }
        found
    }

    fn search_once(&self, text: &str) -> Vec<Found> {
        let mut found = scan::scan(text, |class| self.policy.wants(class));
        if self.policy.personal {
            let user = scan::user_kind();
            let here = found.iter().filter(|f| f.kind == user).map(|f| text[f.range.clone()].to_lowercase());
            let mut names: BTreeSet<String> = here.filter(|name| person::is_specific(name)).collect();
            names.extend(self.names.iter().cloned());
            let mentions = person::mentions(text, &names);
            if !mentions.is_empty() {
                found.extend(mentions.into_iter().map(|range| Found { kind: user, range }));
                found = scan::resolve(found);
            }
        }
        found
    }
}

fn finding(found: &Found) -> Finding {
    let kind = kinds()[found.kind];
    Finding { kind: kind.name, class: kind.class, range: found.range.clone() }
}

fn replace(text: &str, found: Vec<Found>, by: impl Fn(&Found, &str) -> String) -> Redacted<'_> {
    let findings = found.iter().map(finding).collect();
    if found.is_empty() {
        return Redacted { text: Cow::Borrowed(text), findings };
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in &found {
        out.push_str(&text[from..found.range.start]);
        out.push_str(&by(found, &text[found.range.clone()]));
        from = found.range.end;
    }
    out.push_str(&text[from..]);
    Redacted { text: Cow::Owned(out), findings }
}
