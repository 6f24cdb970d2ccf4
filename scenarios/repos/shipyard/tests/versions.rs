use shipyard::lockdiff::diff;
use shipyard::version::Step;
use shipyard::{Error, Version};

fn version(text: &str) -> Version {
    text.parse().expect(text)
}

#[test]
fn order_is_that_of_semver() {
    let sorted = [
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1",
        "1.10.0",
    ];
    for pair in sorted.windows(2) {
        assert!(
            version(pair[0]) < version(pair[1]),
            "{} < {}",
            pair[0],
            pair[1]
        );
    }
}

#[test]
fn texts_round_trip() {
    for text in ["0.0.0", "1.20.300", "1.0.0-rc.1", "2.0.0-x-y.z.0"] {
        assert_eq!(version(text).to_string(), text);
    }
}

#[test]
fn other_texts_are_errors() {
    for text in [
        "",
        "1",
        "1.2",
        "1.2.3.4",
        "01.2.3",
        "1.2.x",
        "1.2.3-",
        "1.2.3-a..b",
        "1.2.3-01",
    ] {
        assert_eq!(
            text.parse::<Version>(),
            Err(Error::Version(text.to_string()))
        );
    }
}

#[test]
fn steps() {
    let from = version("1.2.3");
    assert_eq!(from.step_to(&version("2.0.0")), Step::Major);
    assert_eq!(from.step_to(&version("1.3.3")), Step::Minor);
    assert_eq!(from.step_to(&version("1.2.3-a")), Step::Prerelease);
    assert_eq!(from.step_to(&from), Step::None);
}

#[test]
fn a_diff_marks_what_reviewers_should_see() {
    let lock = |entries: &[(&str, &str)]| {
        entries
            .iter()
            .map(|(name, text)| (name.to_string(), version(text)))
            .collect()
    };
    let old = lock(&[
        ("a", "1.0.0"),
        ("b", "1.0.0"),
        ("c", "1.1.0"),
        ("d", "1.0.0"),
    ]);
    let new = lock(&[
        ("a", "1.1.0"),
        ("b", "2.0.0"),
        ("c", "1.0.0"),
        ("e", "1.0.0"),
    ]);
    let lines: Vec<String> = diff(&old, &new).iter().map(ToString::to_string).collect();
    let expected = [
        "^ a 1.0.0 -> 1.1.0",
        "^ b 1.0.0 -> 2.0.0 (!)",
        "v c 1.1.0 -> 1.0.0 (!)",
        "- d 1.0.0 (!)",
        "+ e 1.0.0",
    ];
    assert_eq!(lines, expected);
}
