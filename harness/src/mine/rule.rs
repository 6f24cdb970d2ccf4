//! Which commits are no tasks.

use std::sync::LazyLock;

use regex::Regex;

use super::message::without_hint;
use super::repository::Commit;

/// Why a commit gives no query. A commit counts under the first that applies, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// It joins branches.
    Merge,
    /// A program wrote it.
    Bot,
    /// It takes another back.
    Revert,
    /// It raises a version, of the project or of a dependency.
    Release,
    /// It touches no program text.
    NoSource,
    /// It touches more program files than one task would.
    TooManyFiles,
    /// None of the program files it touches was there at the base.
    NoGold,
    /// What it changes in those files is blanks, or it says that a formatter was run.
    Formatting,
    /// Its message says too little to look for.
    TooShort,
    /// A commit before the base has the same subject.
    Known,
    /// An earlier query has the same text.
    Duplicate,
    /// Enough queries were kept.
    OverLimit,
}

impl Rule {
    /// All rules, in their order.
    pub const ALL: [Rule; 12] = [
        Rule::Merge,
        Rule::Bot,
        Rule::Revert,
        Rule::Release,
        Rule::NoSource,
        Rule::TooManyFiles,
        Rule::NoGold,
        Rule::Formatting,
        Rule::TooShort,
        Rule::Known,
        Rule::Duplicate,
        Rule::OverLimit,
    ];

    /// The stable name in reports.
    pub fn code(self) -> &'static str {
        match self {
            Rule::Merge => "merge",
            Rule::Bot => "bot",
            Rule::Revert => "revert",
            Rule::Release => "release",
            Rule::NoSource => "no-source",
            Rule::TooManyFiles => "too-many-files",
            Rule::NoGold => "no-gold",
            Rule::Formatting => "formatting",
            Rule::TooShort => "too-short",
            Rule::Known => "known",
            Rule::Duplicate => "duplicate",
            Rule::OverLimit => "over-limit",
        }
    }
}

/// The rule that author and message alone break.
pub(super) fn by_origin(commit: &Commit) -> Option<Rule> {
    let subject = commit.message.trim_start().lines().next().unwrap_or_default();
    if commit.parents > 1 {
        Some(Rule::Merge)
    } else if BOT.is_match(&commit.author) || commit.mail.contains("[bot]") {
        Some(Rule::Bot)
    } else if REVERT.is_match(subject) || commit.message.contains("This reverts commit") {
        Some(Rule::Revert)
    } else if is_release(subject) {
        Some(Rule::Release)
    } else {
        None
    }
}

/// Whether the subject says that a formatter was run.
pub(super) fn names_formatter(subject: &str) -> bool {
    FORMATTER.is_match(without_hint(subject))
}

fn is_release(subject: &str) -> bool {
    let text = without_hint(subject);
    let hint = &subject[..subject.len() - text.len()];
    BUMP.is_match(text)
        || DEPENDENCY_HINT.is_match(hint)
        || (VERSION.is_match(subject)
            && (subject.split_whitespace().count() <= 2 || RELEASE_VERB.is_match(text)))
}

static BOT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\[bot\]|(?:^|[-_ ])bot$|^(?:dependabot|renovate|greenkeeper|weblate|github[- ]actions?)\b")
});
static REVERT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^(?:\w+(?:\([^)]*\))?: )?revert\b"));
static BUMP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:bump|(?:version|release) bump|release\b[^a-z]*$|prepare (?:for )?(?:the )?(?:next )?release|(?:update|upgrade|set|change) version\b)",
    )
});
static DEPENDENCY_HINT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:deps?|release|(?:chore|build|fix)\((?:deps?(?:-dev)?|release)\))"));
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)(?:^|[\s\-@])v?\d+\.\d+(?:\.\d+)*(?:[-.+]?(?:rc|alpha|beta|dev|pre|post|next)[-.]?\d*)?$")
});
static RELEASE_VERB: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^(?:release|prepare|start|tag|version|publish|(?:update|upgrade)\b.* to)\b")
});
static FORMATTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:rustfmt|cargo fmt|gofmt|clang-format|prettier|google-java-format|spotless|dotnet format|isort)\b|^(?:re)?format(?: (?:the )?(?:code|files?|sources?|everything|tests?))?\W*$|^(?:run|apply) (?:the )?(?:formatter|black|ruff)\b",
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of ours is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(author: &str, message: &str) -> Option<Rule> {
        by_origin(&Commit {
            author: author.to_owned(),
            message: message.to_owned(),
            parents: 1,
            ..Commit::default()
        })
    }

    #[test]
    fn the_rules_are_in_their_order() {
        assert!(Rule::ALL.is_sorted());
    }

    #[test]
    fn programs_are_told_from_people() {
        assert_eq!(rule("dependabot[bot]", "Fix it"), Some(Rule::Bot));
        assert_eq!(rule("pre-commit-ci-bot", "Fix it"), Some(Rule::Bot));
        assert_eq!(rule("Ann Talbot", "Fix it"), None);
    }

    #[test]
    fn releases_and_reverts_are_no_tasks() {
        for subject in [
            "0.74.3",
            "v1.2",
            "Release 1.4.0",
            "ignore-0.4.23",
            "build(deps): raise gix",
            "bump the version",
            "Bump version",
            "chore: release v2.0.0-rc.1",
            "update regex to 1.13.1",
            "deps: qs@6.15.2",
            "Prepare release",
        ] {
            assert_eq!(rule("Jo", subject), Some(Rule::Release), "{subject}");
        }
        for subject in ["revert clang tidy suppression", "Revert \"x\"", "fix: revert the cache"] {
            assert_eq!(rule("Jo", subject), Some(Rule::Revert), "{subject}");
        }
        for subject in [
            "Support TLS 1.3 in the client",
            "release the lock before waiting",
            "fix(router): match versions such as 1.2.3 exactly",
            "Parse HTTP/1.1",
        ] {
            assert_eq!(rule("Jo", subject), None, "{subject}");
        }
        assert_eq!(rule("Jo", "Undo it\n\nThis reverts commit abc."), Some(Rule::Revert));
    }

    #[test]
    fn a_formatter_is_named_or_the_subject_is_nothing_else() {
        assert!(names_formatter("style: run rustfmt"));
        assert!(names_formatter("Reformat the code"));
        assert!(names_formatter("Apply clang-format"));
        assert!(!names_formatter("Format chrono durations with a precision"));
        assert!(!names_formatter("Apply the format given by the user"));
    }
}
