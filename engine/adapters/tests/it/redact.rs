//! `sluice redact`: what it prints, what it refuses.

use assert_cmd::Command;

/// Exit code, standard output and standard error as one text.
fn redact(arguments: &[&str], input: &[u8]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sluice"));
    let output =
        command.env("NO_COLOR", "1").arg("redact").args(arguments).write_stdin(input).output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    format!("code {}\n--- stdout\n{stdout}--- stderr\n{stderr}", output.status.code().unwrap())
}

/// Put together at run time, so that no scanner takes this file for a leak.
fn input() -> String {
    let token = format!("ghp_{}", "q9Xk2mPz".repeat(5));
    let dashes = "-".repeat(5);
    let key =
        format!("{dashes}BEGIN PRIVATE KEY{dashes}\n{}\n{dashes}END PRIVATE KEY{dashes}", "b6Qz".repeat(16));
    format!(
        "cd /home/marisol/src\nexport GH={token}\n{key}\nDB_PASSWORD=hunter2-Zx9!\nask marisol or m@kent-works.org\n"
    )
}

#[test]
fn text_and_counts() {
    insta::assert_snapshot!("redact_text", redact(&[], input().as_bytes()));
    insta::assert_snapshot!("redact_secrets_only", redact(&["--secrets-only"], input().as_bytes()));
    insta::assert_snapshot!("redact_nothing", redact(&[], b"nothing private here\n"));
}

#[test]
fn json_with_offsets_of_the_input() {
    insta::assert_snapshot!("redact_json", redact(&["--json"], input().as_bytes()));
}

#[test]
fn what_is_not_text_is_refused_and_stray_bytes_are_told() {
    let wide: Vec<u8> = "password=hunter2-Zx9!".bytes().flat_map(|b| [b, 0]).collect();
    insta::assert_snapshot!("redact_utf16", redact(&[], &wide));
    insta::assert_snapshot!(
        "redact_stray_bytes",
        redact(&["--json"], b"DB_PASSWORD=h\xfcnter2-Zx9!\nend\xff\n")
    );
}

#[test]
fn help_shows_an_example() {
    let help = redact(&["--help"], b"");
    assert!(help.contains("Example:\n  sluice redact"), "{help}");
}
