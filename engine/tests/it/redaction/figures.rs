//! Recall and false positives over generated text, printed:
//! `cargo test -p engine --test it redaction_figures -- --nocapture`.

use std::collections::BTreeMap;

use engine::privacy::{Class, Policy, Redactor};

use super::forms::{FORMS, samples};
use super::lookalikes::look_alikes;

/// How many of how many.
#[derive(Default, Clone, Copy)]
struct Share {
    hits: usize,
    of: usize,
}

impl Share {
    fn add(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.of += 1;
    }

    fn value(self) -> f64 {
        self.hits as f64 / self.of as f64
    }
}

/// One text that went wrong.
struct Fault {
    what: String,
    text: String,
}

struct Figures {
    by_kind: BTreeMap<&'static str, Share>,
    by_form: BTreeMap<&'static str, Share>,
    total: Share,
    faults: Vec<Fault>,
}

impl Figures {
    fn new() -> Figures {
        Figures {
            by_kind: BTreeMap::new(),
            by_form: BTreeMap::new(),
            total: Share::default(),
            faults: Vec::new(),
        }
    }

    fn add(&mut self, kind: &'static str, form: &'static str, hit: bool) {
        self.by_kind.entry(kind).or_default().add(hit);
        self.by_form.entry(form).or_default().add(hit);
        self.total.add(hit);
    }

    fn table(&self, title: &str, unit: &str) -> String {
        let mut lines =
            vec![format!("{title}: {} of {} ({:.4})", self.total.hits, self.total.of, self.total.value())];
        for (name, share) in &self.by_form {
            lines.push(format!("  form {name:<10} {:>4} of {:>4}", share.hits, share.of));
        }
        for (name, share) in &self.by_kind {
            lines.push(format!("  {unit} {name:<26} {:>4} of {:>4}", share.hits, share.of));
        }
        lines.extend(self.faults.iter().map(|f| format!("  ! {}: {}", f.what, f.text.escape_debug())));
        lines.join("\n")
    }
}

/// A secret counts as found when findings cover all of it, at every place where it stands.
fn recall(redactor: &Redactor, seed: u64, rounds: usize) -> Figures {
    let mut figures = Figures::new();
    for sample in samples(seed, rounds) {
        let findings = redactor.find(&sample.text);
        let covered = |at: usize| findings.iter().any(|f| f.class == Class::Secret && f.range.contains(&at));
        let places = sample.text.match_indices(&sample.secret);
        let found = places.into_iter().all(|(at, secret)| (at..at + secret.len()).all(covered));
        figures.add(sample.kind, sample.form, found);
        if !found {
            figures
                .faults
                .push(Fault { what: format!("{} in {}", sample.kind, sample.form), text: sample.text });
        }
    }
    figures
}

fn false_positives(redactor: &Redactor, seed: u64, rounds: usize) -> Figures {
    let mut figures = Figures::new();
    for sample in look_alikes(seed, rounds) {
        let findings = redactor.find(&sample.text);
        figures.add(sample.what, sample.form, !findings.is_empty());
        if let Some(first) = findings.first() {
            figures
                .faults
                .push(Fault { what: format!("{} taken for {}", sample.what, first.kind), text: sample.text });
        }
    }
    figures
}

#[test]
fn redaction_figures() {
    let redactor = Redactor::new(Policy::ALL, b"");
    let found = recall(&redactor, 20_261_130, 3);
    println!("{}", found.table("recall", "kind"));
    let wrong = false_positives(&redactor, 11_302_026, 6);
    println!("{}", wrong.table("false positives", "look-alike"));
    assert!(found.total.of >= 300 && found.by_kind.len() >= 45, "too few secrets");
    assert!(FORMS.iter().all(|form| found.by_form.contains_key(form)));
    assert!(wrong.total.of >= 600, "too few look-alikes");
    assert!(found.total.value() >= 0.99, "recall {}", found.total.value());
    assert!(wrong.total.value() <= 0.01, "false positives {}", wrong.total.value());
}
