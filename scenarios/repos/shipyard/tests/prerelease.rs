//! Pre-releases in ranges, see docs/versions.md.

use shipyard::catalog::Catalog;
use shipyard::resolver::resolve;
use shipyard::{Manifest, VersionRange};

fn takes(range: &str, version: &str) -> bool {
    let range: VersionRange = range.parse().expect(range);
    range.matches(&version.parse().expect(version))
}

#[test]
fn a_range_without_prerelease_takes_releases_only() {
    assert!(!takes("^1.4", "2.0.0-beta.1"));
    assert!(!takes("^1.4", "1.5.0-rc.1"));
    assert!(!takes("*", "3.0.0-alpha"));
    assert!(takes("^1.4", "1.5.0"));
}

#[test]
fn a_range_that_names_a_prerelease_takes_its_successors() {
    assert!(takes("^2.0.0-beta.1", "2.0.0-beta.3"));
    assert!(takes("^2.0.0-beta.1", "2.0.0"));
    assert!(!takes("^2.0.0-beta.1", "2.0.0-alpha.9"));
}

#[test]
fn but_not_those_of_other_releases() {
    assert!(!takes("^2.0.0-beta.1", "2.1.0-rc.1"));
    assert!(!takes("^2.0.0-beta.1", "3.0.0-alpha"));
}

#[test]
fn the_lock_stays_with_the_release() {
    let yard = "[package app]\nversion = 1.0.0\nrequires = theme ^1.4\n";
    let manifest = Manifest::parse(yard, "yard").expect("yard");
    let published = "theme 1.4.2\ntheme 1.5.0-rc.1\ntheme 2.0.0-beta.1\n";
    let catalog = Catalog::parse(published, "catalog").expect("catalog");
    let found = resolve(&manifest, &catalog).expect("solvable");
    assert_eq!(found["theme"].to_string(), "1.4.2");
}
