use shipyard::catalog::Catalog;
use shipyard::resolver::resolve;
use shipyard::{Manifest, Version, VersionRange, lockfile};

fn check(range: &str, taken: &[&str], refused: &[&str]) {
    let parsed: VersionRange = range.parse().expect(range);
    for version in taken {
        assert!(
            parsed.matches(&version.parse().expect(version)),
            "'{range}' must take {version}"
        );
    }
    for version in refused {
        assert!(
            !parsed.matches(&version.parse().expect(version)),
            "'{range}' must refuse {version}"
        );
    }
}

#[test]
fn ranges_without_a_prerelease() {
    check(
        "^3.2",
        &["3.2.0", "3.9.9"],
        &["4.0.0-0", "3.2.1-rc.1", "3.3.0-alpha.1", "3.2.0-rc.1"],
    );
    check("~0.7.1", &["0.7.4"], &["0.8.0-beta", "0.7.2-beta"]);
    check("5.x", &["5.0.0"], &["5.1.0-pre", "6.0.0-pre"]);
    check(
        ">=1.0.0",
        &["1.0.0", "9.0.0"],
        &["1.0.1-rc.1", "2.0.0-rc.1"],
    );
    check("<2.0.0", &["1.9.9"], &["2.0.0-rc.1", "1.0.0-rc.1"]);
    check("*", &["0.0.1"], &["0.0.1-a"]);
    assert!(!VersionRange::any().matches(&"1.0.0-rc.1".parse().expect("version")));
}

#[test]
fn ranges_that_name_one() {
    check(
        "^4.1.0-rc.2",
        &["4.1.0-rc.2", "4.1.0-rc.11", "4.1.0", "4.7.0"],
        &["4.1.0-rc.1", "4.1.1-rc.3", "5.0.0-rc.3"],
    );
    check(
        "~4.1.0-rc.2",
        &["4.1.0-rc.3", "4.1.9"],
        &["4.1.1-rc.3", "4.2.0-a"],
    );
    check("=4.1.0-rc.2", &["4.1.0-rc.2"], &["4.1.0-rc.3", "4.1.0"]);
    check("4.1.0-rc.2", &["4.1.0-rc.2"], &["4.1.0"]);
    check(
        ">4.1.0-a <4.2",
        &["4.1.0-b", "4.1.5"],
        &["4.1.0-a", "4.1.5-b", "4.2.0-b"],
    );
    check("<=4.1.0-b", &["4.1.0-a", "4.0.0"], &["4.0.0-a", "4.1.0-c"]);
    check("^0.3.0-rc.1", &["0.3.0-rc.2", "0.3.4"], &["0.4.0-rc.1"]);
}

#[test]
fn each_side_by_itself() {
    check(
        "^1.0 || ^2.0.0-rc.1",
        &["1.4.0", "2.0.0-rc.2", "2.3.0"],
        &["1.4.0-rc.1", "2.3.0-rc.1", "2.0.0-beta"],
    );
    check(
        "^1.0.0 || =1.4.0-rc.1",
        &["1.4.0-rc.1", "1.4.0"],
        &["1.4.0-rc.2", "1.5.0-rc.1"],
    );
}

#[test]
fn the_highest_of_mixed_versions() {
    let versions: Vec<Version> = ["1.1.0", "1.2.0-rc.1", "1.2.0", "1.3.0-rc.1", "2.0.0-alpha"]
        .iter()
        .map(|text| text.parse().expect("version"))
        .collect();
    let highest = |range: &str| {
        let range: VersionRange = range.parse().expect("range");
        range.highest(&versions).map(ToString::to_string)
    };
    assert_eq!(highest("^1.0").as_deref(), Some("1.2.0"));
    assert_eq!(highest("^1.3.0-a").as_deref(), Some("1.3.0-rc.1"));
    assert_eq!(highest("^2.0"), None);
}

#[test]
fn resolver_and_lock() {
    let manifest = |requires: &str| {
        let yard = format!("[package shop]\nversion = 1.0.0\nrequires = {requires}\n");
        Manifest::parse(&yard, "yard").expect("yard")
    };
    let catalog = "paint 1.0.0\npaint 1.1.0-rc.1\nhull 2.0.0-rc.1\nhull 2.0.0-rc.4\nmast 1.0.0 requires paint >=1.1.0-rc.1\n";
    let catalog = Catalog::parse(catalog, "catalog").expect("catalog");
    let chosen = resolve(&manifest("paint ^1.0, hull ^2.0.0-rc.1"), &catalog).expect("solvable");
    assert_eq!(chosen["paint"].to_string(), "1.0.0");
    assert_eq!(chosen["hull"].to_string(), "2.0.0-rc.4");
    assert!(resolve(&manifest("hull ^2.0"), &catalog).is_err());
    assert!(resolve(&manifest("hull ^1.0"), &catalog).is_err());
    assert_eq!(
        resolve(&manifest("mast *"), &catalog).expect("solvable")["paint"].to_string(),
        "1.1.0-rc.1"
    );
    assert!(resolve(&manifest("mast *, paint ^1.0"), &catalog).is_err());
    assert_eq!(lockfile::stale(&manifest("hull ^2.0"), &chosen).len(), 1);
}
