use shipyard::Error;
use shipyard::fileset::FileSet;
use shipyard::glob::Glob;
use shipyard::tree::Tree;

fn fits(pattern: &str, path: &str) -> bool {
    Glob::new(pattern).expect(pattern).matches(path)
}

#[test]
fn wildcards_inside_a_name() {
    assert!(fits("src/*.ts", "src/a.ts"));
    assert!(!fits("src/*.ts", "src/deep/a.ts"));
    assert!(fits("src/?.ts", "src/a.ts"));
    assert!(!fits("src/?.ts", "src/ab.ts"));
    assert!(fits("a*b*c", "aXbYbZc"));
    assert!(!fits("a*b*c", "aXbYbZ"));
}

#[test]
fn any_number_of_folders() {
    assert!(fits("src/**/*.ts", "src/a.ts"));
    assert!(fits("src/**/*.ts", "src/x/y/a.ts"));
    assert!(fits("**/test/**", "a/test/b/c.ts"));
    assert!(!fits("src/**", "src"));
    assert!(fits("docs/", "docs/deep/page.md"));
}

#[test]
fn errors_name_the_pattern() {
    for pattern in ["", "/src", "a//b", "../b", "src/**.ts"] {
        assert!(
            matches!(Glob::new(pattern), Err(Error::Glob { .. })),
            "{pattern}"
        );
    }
}

#[test]
fn the_last_glob_that_matches_decides() {
    let set = FileSet::new(&["src/**", "!src/gen/**", "src/gen/keep.ts"]).expect("valid");
    assert!(set.contains("src/a.ts"));
    assert!(!set.contains("src/gen/b.ts"));
    assert!(set.contains("src/gen/keep.ts"));
}

#[test]
fn selection_and_idle_globs() {
    let tree = Tree::from_contents([("src/a.ts", "1"), ("src/b.css", "2"), ("x.md", "3")]);
    let set = FileSet::new(&["src/*.ts", "lib/*.ts"]).expect("valid");
    let paths: Vec<&str> = set
        .select(&tree)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(paths, ["src/a.ts"]);
    assert_eq!(set.idle(&tree), ["lib/*.ts"]);
}

#[test]
fn trees_know_what_changed() {
    let before = Tree::from_contents([("a", "1"), ("b", "2"), ("c", "3")]);
    let after = Tree::from_contents([("a", "1"), ("b", "9"), ("d", "4")]);
    assert_eq!(before.changed(&after), ["b", "c", "d"]);
}
