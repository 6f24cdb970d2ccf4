//! Repositories and tasks of a simulated campaign: a file with one wrong line, a visible check, a hidden grader.

use std::fmt::Write as _;

use super::behaviour::SessionLength;

/// The visible check of a task, as the prompt names it.
pub(super) fn verify(scenario: &str) -> String {
    format!("sh check.sh {scenario}")
}

/// The file that a task is about.
pub(super) fn gold(scenario: &str) -> String {
    format!("{scenario}/total.py")
}

/// The words of the person.
pub(super) fn prompt(scenario: &str) -> String {
    format!(
        "The total of two {scenario} amounts is wrong, it subtracts. Check with `{}`.\n",
        verify(scenario)
    )
}

/// The file's content, with the line that adds up as given: short where sessions are.
pub(super) fn source(scenario: &str, sum: &str, sessions: SessionLength) -> String {
    let functions = match sessions {
        SessionLength::Usual => &["larger", "smaller", "spread", "half", "double", "negated"][..],
        SessionLength::Brief => &["larger"],
    };
    let mut text = format!(
        "# {scenario}: how amounts are put together\ndef total(a, b):\n    # of two amounts\n    return {sum}\n"
    );
    for name in functions {
        let _ = write!(
            text,
            "\n\ndef {name}(a, b):\n    # {scenario}: the {name} of two amounts, in cents\n    return {name}_of(a, b)\n"
        );
    }
    text
}

/// What a right and a wrong run write in the line's place.
pub(super) fn sum(accepted: bool) -> &'static str {
    if accepted { "a + b" } else { "a * b" }
}

/// The final patch.
pub(super) fn patch(scenario: &str, sum: &str) -> String {
    let file = gold(scenario);
    format!(
        "diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1,7 +1,7 @@\n # {scenario}: how amounts are put \
         together\n def total(a, b):\n     # of two amounts\n-    return a - b\n+    return {sum}\n \n \n def larger(a, b):\n"
    )
}

/// Files of a task's repository, relative to it. Tasks of one cluster share it.
pub(super) fn repository(scenario: &str, sessions: SessionLength) -> [(String, String); 3] {
    [
        (gold(scenario), source(scenario, "a - b", sessions)),
        ("check.sh".to_owned(), "grep -q 'return a + b' $1/total.py\n".to_owned()),
        ("data/closed.csv".to_owned(), "2023-12-31,closing balance,1204.50\n".to_owned()),
    ]
}

/// Files of a task, relative to its folder.
pub(super) fn task(scenario: &str, cluster: &str) -> [(String, String); 4] {
    let declaration = format!(
        "schema = \"scenario/1\"\nid = \"{scenario}\"\nrepo = \"{cluster}\"\ntitle = \"{scenario} total\"\nlanguage = \
         \"python\"\nkind = \"fix\"\nruntime = [\"git\"]\nverify = [\"sh\", \"check.sh\", \"{scenario}\"]\ngrade = \
         [\"sh\", \"grader_check.sh\"]\ngold = [\"{}\"]\nprotected = [\"data/**\"]\nsecrets = \
         [\"FAKE-TOKEN-0001\"]\ntimeout_seconds = 20\n",
        gold(scenario)
    );
    [
        ("scenario.toml".to_owned(), declaration),
        ("prompt.md".to_owned(), prompt(scenario)),
        ("reference.patch".to_owned(), patch(scenario, sum(true))),
        ("grader/grader_check.sh".to_owned(), format!("grep -q 'return a + b' {}\n", gold(scenario))),
    ]
}

/// The arms: the four of the shipped feature.
pub(super) const VARIANTS: &str = r#"schema = "variants/1"

[[variant]]
id = "native"
engine = "pass-through"

[[variant]]
id = "native-again"
engine = "pass-through"
aa_of = "native"

[[variant]]
id = "auto-context"
engine = "built-in"
[variant.config]
pack_tokens = 1400

[[variant]]
id = "auto-context-known-bad"
engine = "built-in"
withhold = "gold"
[variant.config]
pack_tokens = 1400
"#;

/// The feature, declared on: synthetic evidence must never be enough for that.
pub(super) const FEATURES: &str = r#"schema = "features/1"

[[feature]]
id = "auto-context"
state = "default-on"
baseline = "native"
candidate = "auto-context"
known_bad = "auto-context-known-bad"
aa = "native-again"
corpora = ["synthetic"]
"#;

/// Made-up prices under which a run's bill is exactly the cost drawn for it.
pub(super) fn prices(checked_on: jiff::civil::Date) -> String {
    format!(
        "schema = \"prices/1\"\nid = \"synthetic\"\nsource = \"made up: only fresh input costs\"\nchecked_on = \
         \"{checked_on}\"\n\n[[price]]\nprovider = \"synthetic\"\nmodel = \"drawn-1\"\neffective_from = \
         \"2026-01-01\"\ninput = 3.0\noutput = 0.0\ncache_read = 0.0\ncache_write_5m = 3.0\ncache_write_1h = 3.0\nvalidated \
         = false\n"
    )
}
