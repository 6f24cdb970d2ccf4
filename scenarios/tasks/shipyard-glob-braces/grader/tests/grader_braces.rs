use shipyard::affected::affected;
use shipyard::fileset::FileSet;
use shipyard::glob::Glob;
use shipyard::graph::Graph;
use shipyard::manifest::split_list;
use shipyard::tree::Tree;
use shipyard::{Error, Manifest};

fn check(pattern: &str, fitting: &[&str], others: &[&str]) {
    let glob = Glob::new(pattern).expect(pattern);
    assert_eq!(glob.source(), pattern);
    assert_eq!(glob.to_string(), pattern);
    for path in fitting {
        assert!(glob.matches(path), "'{pattern}' must fit {path}");
    }
    for path in others {
        assert!(!glob.matches(path), "'{pattern}' must not fit {path}");
    }
}

fn reason(pattern: &str) -> String {
    match Glob::new(pattern) {
        Err(Error::Glob {
            pattern: named,
            reason,
        }) => {
            assert_eq!(named, pattern);
            reason
        }
        other => panic!("{pattern}: {other:?}"),
    }
}

#[test]
fn texts_of_all_kinds() {
    check(
        "docs/*.{md,rst,txt}",
        &["docs/a.md", "docs/b.rst", "docs/.txt"],
        &["docs/a.mdx", "docs/a.", "docs/a.md,rst"],
    );
    check(
        "index{,.min}.js",
        &["index.js", "index.min.js"],
        &["index,.min.js", "index.max.js"],
    );
    check(
        "{src,lib/deep}/*.rs",
        &["src/a.rs", "lib/deep/a.rs"],
        &["lib/a.rs", "deep/a.rs"],
    );
    check(
        "{a*,?z,**/end}/x",
        &["abc/x", "yz/x", "p/q/end/x", "end/x"],
        &["z/x", "p/abc/x"],
    );
    check("{one}/x", &["one/x"], &["{one}/x"]);
    check(
        "{img,css}/",
        &["img/a/b.png", "css/a.css"],
        &["js/a.js", "img"],
    );
}

#[test]
fn every_combination() {
    let glob = Glob::new("{a,b}{c,d}/{e,f}.{g,h}").expect("valid");
    for first in ["a", "b"] {
        for second in ["c", "d"] {
            for third in ["e", "f"] {
                for last in ["g", "h"] {
                    assert!(glob.matches(&format!("{first}{second}/{third}.{last}")));
                }
            }
        }
    }
    for path in ["ab/e.g", "ac/g.e", "ca/e.g", "ac/e.", "a/e.g"] {
        assert!(!glob.matches(path), "{path}");
    }
}

#[test]
fn without_braces_nothing_changes() {
    check("src/**/*.ts", &["src/a.ts", "src/b/c.ts"], &["src/a.tsx"]);
    check("a,b/c", &["a,b/c"], &["a/c", "b/c"]);
}

#[test]
fn errors() {
    for pattern in ["{", "a/{b,c", "{a,b}/{c", "{a,b}{"] {
        assert_eq!(reason(pattern), "unclosed {", "{pattern}");
    }
    for pattern in ["}", "a}b", "a}b{c,d}", "{a,b}}"] {
        assert_eq!(reason(pattern), "unexpected }", "{pattern}");
    }
    for pattern in ["{a,{b,c}}", "{{a}}", "x/{a{b}"] {
        assert_eq!(reason(pattern), "nested {", "{pattern}");
    }
    for pattern in ["{a,..}/b", "{/a,b}/c", "{a,}/b", "x/{**a,b}"] {
        assert!(
            matches!(Glob::new(pattern), Err(Error::Glob { .. })),
            "{pattern}"
        );
    }
}

#[test]
fn lists() {
    assert_eq!(
        split_list("a/{b,c}/{d,e} , f,!g/*.{h,i},"),
        ["a/{b,c}/{d,e}", "f", "!g/*.{h,i}"]
    );
    assert_eq!(split_list("{a,b},c,{d,e}"), ["{a,b}", "c", "{d,e}"]);
    assert_eq!(split_list("x{,.min}.js,y"), ["x{,.min}.js", "y"]);
    assert_eq!(
        split_list("theme ^1.0, router >=2 <3"),
        ["theme ^1.0", "router >=2 <3"]
    );
}

#[test]
fn sets_and_yards() {
    let yard = "[package web]\nversion = 1.0.0\nsources = web/**/*.{js,css}, !web/{gen,vendor}/**, web/gen/keep.js\n";
    let manifest = Manifest::parse(yard, "yard").expect("valid");
    let sources = &manifest.package("web").expect("web").sources;
    assert_eq!(sources.len(), 3);
    let set = FileSet::new(sources).expect("globs");
    let files = [
        "web/a.js",
        "web/x/b.css",
        "web/gen/c.js",
        "web/gen/keep.js",
        "web/vendor/d.css",
        "web/e.ts",
    ];
    let tree = Tree::from_contents(files.map(|path| (path, "")));
    let chosen: Vec<&str> = set
        .select(&tree)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(chosen, ["web/a.js", "web/gen/keep.js", "web/x/b.css"]);
    assert_eq!(
        FileSet::new(&["web/*.{py,rb}", "web/*.{js,rb}"])
            .expect("globs")
            .idle(&tree),
        ["web/*.{py,rb}"]
    );
    let graph = Graph::new(&manifest).expect("no cycle");
    let changed = [
        "web/vendor/d.css".to_string(),
        "web/deep/down/z.css".to_string(),
    ];
    let found = affected(&manifest, &graph, &changed, None).expect("affected");
    assert_eq!(found.outside, ["web/vendor/d.css"]);
    assert!(found.directly.contains("web"));
}

#[test]
fn yard_errors_have_the_line() {
    let yard = "[package web]\nversion = 1.0.0\nsources = a/*, web/{js,css\n";
    let error = Manifest::parse(yard, "yard")
        .expect_err("unclosed")
        .to_string();
    assert_eq!(error, "yard:3: glob 'web/{js,css': unclosed {");
}
