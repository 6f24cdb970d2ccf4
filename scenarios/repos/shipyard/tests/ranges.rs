use shipyard::{Error, Version, VersionRange};

fn takes(range: &str, version: &str) -> bool {
    let range: VersionRange = range.parse().expect(range);
    range.matches(&version.parse().expect(version))
}

#[test]
fn carets() {
    assert!(takes("^1.4.2", "1.9.0"));
    assert!(!takes("^1.4.2", "1.4.1"));
    assert!(!takes("^1.4.2", "2.0.0"));
    assert!(takes("^0.3.1", "0.3.9"));
    assert!(!takes("^0.3.1", "0.4.0"));
    assert!(!takes("^0.0.3", "0.0.4"));
    assert!(takes("^1", "1.0.0"));
}

#[test]
fn tildes_and_wildcards() {
    assert!(takes("~1.4.2", "1.4.9"));
    assert!(!takes("~1.4", "1.5.0"));
    assert!(takes("1.4.x", "1.4.0"));
    assert!(!takes("1.x", "2.0.0"));
    assert!(takes("*", "7.1.0"));
}

#[test]
fn bounds_hold_together_and_alternatives_apart() {
    assert!(takes(">=1.2 <1.8", "1.7.9"));
    assert!(!takes(">=1.2 <1.8", "1.8.0"));
    assert!(!takes(">1.2", "1.2.5"));
    assert!(takes("<=1.2", "1.2.5"));
    assert!(takes("^1.4 || ^3.0", "3.1.0"));
    assert!(!takes("^1.4 || ^3.0", "2.0.0"));
}

#[test]
fn exact_ranges() {
    assert!("=1.2.3".parse::<VersionRange>().expect("exact").is_exact());
    assert!(!"^1.2.3".parse::<VersionRange>().expect("caret").is_exact());
    assert!(takes("1.2.3-rc.1", "1.2.3-rc.1"));
}

#[test]
fn highest() {
    let versions: Vec<Version> = ["1.9.0", "1.10.0", "2.0.0"]
        .iter()
        .map(|text| text.parse().expect("version"))
        .collect();
    let range: VersionRange = "^1.2".parse().expect("range");
    assert_eq!(range.highest(&versions), Some(&Version::new(1, 10, 0)));
}

#[test]
fn errors_name_the_text() {
    for text in ["", "^", "1.2.3.4", "1.x.3", "^1.0 ||", "newest"] {
        assert!(
            matches!(text.parse::<VersionRange>(), Err(Error::Range { .. })),
            "{text}"
        );
    }
}
