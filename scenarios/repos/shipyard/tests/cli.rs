use shipyard::cli::run;

fn shipyard(arguments: &[&str]) -> Result<String, String> {
    let arguments: Vec<String> = arguments.iter().map(|text| text.to_string()).collect();
    run(&arguments).map_err(|error| format!("{}: {error}", error.exit_code()))
}

const YARD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/harbor.yard");
const CATALOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/catalog.txt");

#[test]
fn plan() {
    let text = shipyard(&["plan", YARD, "--workers", "2"]).expect("plan");
    assert!(
        text.starts_with("00:00:00  worker 1  core  40s\n"),
        "{text}"
    );
    assert!(text.ends_with("total 3m45s, load 64 %\n"), "{text}");
    let json = shipyard(&["plan", YARD, "--format", "json"]).expect("plan");
    assert!(
        json.starts_with("{\"total\":225,\"slots\":[{\"package\":\"core\",\"worker\":0,"),
        "{json}"
    );
}

#[test]
fn critical_and_graph() {
    assert_eq!(
        shipyard(&["critical", YARD]).expect("path"),
        "core -> ui -> app (3m45s)\n"
    );
    let dot = shipyard(&["graph", YARD]).expect("graph");
    assert!(dot.contains("\"lint\" -> \"ui\" [style=dashed];"), "{dot}");
}

#[test]
fn affected() {
    let text = shipyard(&["affected", YARD, "--changed", "ui/styles/main.css"]).expect("affected");
    assert_eq!(text, "  app\nui\n");
}

#[test]
fn lock_and_outdated() {
    let lock = shipyard(&["lock", YARD, "--catalog", CATALOG]).expect("lock");
    assert!(lock.contains("\nrouter 2.4.1\ntheme 2.1.3\n"), "{lock}");
    let behind = shipyard(&["outdated", YARD, "--catalog", CATALOG]).expect("outdated");
    assert_eq!(behind, "theme 2.1.3, newest 2.2.0\n");
}

#[test]
fn errors_have_exit_codes() {
    assert_eq!(
        shipyard(&["plan"]),
        Err("64: 'plan' needs a yard file".into())
    );
    assert_eq!(
        shipyard(&["plan", YARD, "--fast", "1"]),
        Err("64: unknown flag '--fast'".into())
    );
    assert_eq!(
        shipyard(&["dance", YARD]),
        Err("64: unknown verb 'dance'".into())
    );
    assert!(shipyard(&["plan", "no.yard"]).is_err_and(|text| text.starts_with("74: no.yard:")));
    assert!(shipyard(&["help"]).is_ok_and(|text| text.starts_with("usage:")));
}
