use shipyard::catalog::Catalog;
use shipyard::resolver::{Resolution, outdated, resolve};
use shipyard::{Error, Manifest, lockfile};

fn solve(requires: &str, catalog: &str) -> Result<Resolution, Error> {
    let yard = format!("[package app]\nversion = 1.0.0\nrequires = {requires}\n");
    let manifest = Manifest::parse(&yard, "yard")?;
    resolve(&manifest, &Catalog::parse(catalog, "catalog")?)
}

fn chosen(resolution: &Resolution) -> Vec<String> {
    resolution
        .iter()
        .map(|(name, version)| format!("{name} {version}"))
        .collect()
}

#[test]
fn the_highest_version_that_fits_is_chosen() {
    let found = solve("theme ^1.2", "theme 1.2.0\ntheme 1.10.1\ntheme 2.0.0\n").expect("solvable");
    assert_eq!(chosen(&found), ["theme 1.10.1"]);
}

#[test]
fn requirements_of_requirements_count() {
    let catalog = "router 2.1.0 requires matcher ^1.1\nmatcher 1.0.0\nmatcher 1.1.4\n";
    let found = solve("router ^2.0", catalog).expect("solvable");
    assert_eq!(chosen(&found), ["matcher 1.1.4", "router 2.1.0"]);
}

#[test]
fn a_lower_version_is_taken_when_the_highest_leads_nowhere() {
    let catalog = "a 1.0.0\nb 1.5.0 requires a ^2.0\nb 1.4.0 requires a ^1.0\n";
    let found = solve("b ^1.0", catalog).expect("solvable");
    assert_eq!(chosen(&found), ["a 1.0.0", "b 1.4.0"]);
}

#[test]
fn dead_ends_name_everybody_who_asked() {
    let catalog = "theme 1.0.0\ntheme 2.0.0\nrouter 1.0.0 requires theme ^2.0\n";
    let error = solve("router *, theme ^1.0", catalog).expect_err("contradiction");
    assert_eq!(
        error.to_string(),
        "no version of 'theme' satisfies '^1.0' (app), '^2.0' (router 1.0.0)"
    );
    let error = solve("ghost *", catalog).expect_err("unknown");
    assert_eq!(error.to_string(), "'ghost' is not in the catalog");
}

#[test]
fn lock_files_round_trip_and_show_tampering() {
    let found = solve("theme ^1.2", "theme 1.2.0\n").expect("solvable");
    let text = lockfile::write(&found);
    assert_eq!(lockfile::parse(&text, "lock"), Ok(found));
    let edited = text.replace("1.2.0", "1.3.0");
    assert!(lockfile::parse(&edited, "lock").is_err_and(|e| e.to_string().contains("by hand")));
    let torn = text.lines().take(2).collect::<Vec<_>>().join("\n");
    assert!(lockfile::parse(&torn, "lock").is_err_and(|e| e.to_string().contains("cut off")));
}

#[test]
fn stale_locks_and_outdated_packages() {
    let catalog = Catalog::parse("theme 1.2.0\ntheme 2.0.0\n", "catalog").expect("catalog");
    let yard = "[package app]\nversion = 1.0.0\nrequires = theme ^1.2\n";
    let manifest = Manifest::parse(yard, "yard").expect("yard");
    let found = resolve(&manifest, &catalog).expect("solvable");
    assert_eq!(outdated(&found, &catalog).len(), 1);
    assert!(lockfile::stale(&manifest, &found).is_empty());
    assert_eq!(
        lockfile::stale(&manifest, &Resolution::new()),
        ["app: 'theme' isn't locked"]
    );
}
