//! The project index: discovery, refresh, purge, determinism.

use std::fs;

use engine::project::{Freshness, Index, ProjectError, SkipReason};

use crate::fixture::{Project, contains, paths, policy};

const SMALL: &str = "\
//- src/a.ts
import { b } from './b';
export function alpha() { return b; }
//- src/b.ts
export const b = 'marker_in_b';
//- docs/guide.md
# Guide
";

#[test]
fn ignore_files_protection_and_limits_decide_what_is_indexed() {
    let project = Project::new(
        "//- .gitignore\n*.log\n/out/\n//- .sluiceignore\nprivate/\n//- sub/.gitignore\nlocal.ts\n//- a.ts\nx\n\
         //- a.log\nx\n//- out/b.ts\nx\n//- private/c.ts\nx\n//- sub/local.ts\nx\n//- sub/kept.ts\nx\n\
         //- .env\nKEY=1\n//- conf/credentials.json\n{}\n//- node_modules/m/index.js\nx\n//- .hidden/d.ts\nx\n\
         //- Cargo.lock\nx\n",
    );
    project.write("blob.bin", [0_u8, 1, 2]);
    project.write("big.ts", "x\n".repeat(600_000));
    let mut index = Index::in_memory(policy(&["sub/"])).unwrap();
    let report = index.refresh(&project.root()).unwrap();
    assert_eq!(paths(&index), [".gitignore", ".hidden/d.ts", ".sluiceignore", "a.ts"]);
    let skipped: Vec<_> = report.skipped.iter().map(|s| (s.path.as_str(), s.reason)).collect();
    assert_eq!(
        skipped,
        [
            (".env", SkipReason::Protected),
            ("Cargo.lock", SkipReason::Lockfile),
            ("big.ts", SkipReason::TooLarge),
            ("blob.bin", SkipReason::Binary),
            ("conf/credentials.json", SkipReason::Protected),
        ]
    );
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_neither_followed_nor_quoted() {
    use std::os::unix::fs::symlink;
    let project = Project::new(SMALL);
    let outside = project.state().with_file_name("outside.ts");
    fs::write(&outside, "export const secret_outside = 1;\n").unwrap();
    symlink(&outside, project.root().join("src/link.ts")).unwrap();
    symlink(project.root().join("src"), project.root().join("again")).unwrap();
    let index = project.index();
    assert_eq!(paths(&index), ["docs/guide.md", "src/a.ts", "src/b.ts"]);
    // Replaced by a link after indexing, even to the same bytes.
    let same = fs::read(project.root().join("src/b.ts")).unwrap();
    fs::write(&outside, same).unwrap();
    project.remove("src/b.ts");
    symlink(&outside, project.root().join("src/b.ts")).unwrap();
    let file = index.view().unwrap().files.iter().find(|f| f.path == "src/b.ts").unwrap();
    assert_eq!(index.quote(file), engine::project::Quotable::Unreadable);
    // The state folder itself may not be a link either.
    symlink(project.root(), project.state()).unwrap();
    assert!(matches!(Index::open(&project.state(), policy(&[])), Err(ProjectError::Symlink { .. })));
}

#[test]
fn a_refresh_reuses_what_has_not_changed() {
    let project = Project::new(SMALL);
    let mut index = project.open(&[]);
    let first = index.refresh(&project.root()).unwrap();
    assert_eq!((first.files, first.changed, first.reused), (3, 3, 0));
    let second = index.refresh(&project.root()).unwrap();
    assert_eq!((second.changed, second.reused, second.removed), (0, 3, 0));
    project.write("src/b.ts", "export const b = 'other';\n");
    project.write("src/c.ts", "export const c = 1;\n");
    project.remove("docs/guide.md");
    assert_eq!(index.status(&project.root()).unwrap().drifted, ["docs/guide.md", "src/b.ts", "src/c.ts"]);
    let third = index.refresh(&project.root()).unwrap();
    assert_eq!((third.files, third.changed, third.reused, third.removed), (3, 2, 1, 1));
    assert_eq!(index.status(&project.root()).unwrap().freshness, Freshness::Fresh);
    assert_eq!(index.digest().unwrap(), project.index().digest().unwrap(), "incremental and cold agree");
}

#[cfg(unix)]
#[test]
fn same_size_and_time_does_not_hide_a_change() {
    let project = Project::new(SMALL);
    let mut index = project.open(&[]);
    index.refresh(&project.root()).unwrap();
    let file = project.root().join("src/b.ts");
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    let text = fs::read_to_string(&file).unwrap();
    // The kernel's clock for files is coarse: wait until it has moved.
    while fs::metadata(&file).unwrap().modified().unwrap() == before {
        fs::write(&file, text.replace("marker", "MARKER")).unwrap();
    }
    fs::File::options().write(true).open(&file).unwrap().set_modified(before).unwrap();
    assert_eq!(index.refresh(&project.root()).unwrap().changed, 1);
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let project = Project::new(SMALL);
    for n in 0..200 {
        project.write(&format!("gen/f{n:03}.py"), format!("import os\ndef f{n}(x):\n    return x + {n}\n"));
    }
    for file in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/sources")).unwrap() {
        let file = file.unwrap();
        project.write(&format!("all/{}", file.file_name().to_str().unwrap()), fs::read(file.path()).unwrap());
    }
    let digest = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| project.index().digest().unwrap())
    };
    assert_eq!(digest(1), digest(4));
}

#[test]
fn every_worker_of_the_global_pool_may_refresh_at_once() {
    let text: String = (0..100).map(|n| format!("//- m{n}.py\ndef f{n}():\n    return {n}\n")).collect();
    let project = Project::new(&text);
    let root = project.root();
    let digests = rayon::broadcast(|_| {
        let mut index = Index::in_memory(policy(&[])).unwrap();
        index.refresh(&root).unwrap();
        index.digest().unwrap()
    });
    assert_eq!(digests, vec![project.index().digest().unwrap(); rayon::current_num_threads()]);
}

#[test]
fn newly_excluded_content_leaves_no_byte_behind() {
    let project = Project::new(SMALL);
    let mut index = project.open(&[]);
    index.refresh(&project.root()).unwrap();
    drop(index);
    assert!(contains(&project.state_bytes(), "marker"), "the words of b.ts are in the database");
    let mut index = project.open(&["src/b.ts"]);
    assert!(matches!(index.view(), Err(ProjectError::Stale { .. })), "rows of another policy aren't read");
    assert_eq!(index.status(&project.root()).unwrap().freshness, Freshness::PolicyStale);
    let report = index.refresh(&project.root()).unwrap();
    assert!(report.purged);
    assert_eq!(paths(&index), ["docs/guide.md", "src/a.ts"]);
    drop(index);
    assert!(!contains(&project.state_bytes(), "marker"));
    assert!(!contains(&project.state_bytes(), "src/b.ts/"), "nor a path below it");
}

#[test]
fn an_interrupted_purge_blocks_reading_and_is_finished_later() {
    let project = Project::new(SMALL);
    project.open(&[]).refresh(&project.root()).unwrap();
    let mut index = project.open(&["src/b.ts"]);
    index.refresh(&project.root()).unwrap();
    let expected = index.digest().unwrap();
    drop(index);
    // The state that a kill between the two steps leaves.
    let database = project.state().join(engine::project::DATABASE_FILE);
    let db = rusqlite::Connection::open(&database).unwrap();
    db.execute("UPDATE meta SET value = '1' WHERE key = 'purge_pending'", []).unwrap();
    drop(db);
    let mut index = project.open(&["src/b.ts"]);
    assert!(matches!(index.view(), Err(ProjectError::Stale { .. })));
    let report = index.refresh(&project.root()).unwrap();
    assert!(report.purged && report.changed == 0);
    assert_eq!(index.digest().unwrap(), expected);
}

#[test]
fn a_deleted_file_leaves_no_byte_behind_without_any_purge() {
    let project = Project::new(SMALL);
    let mut index = project.open(&[]);
    index.refresh(&project.root()).unwrap();
    project.remove("src/b.ts");
    let report = index.refresh(&project.root()).unwrap();
    assert!(!report.purged);
    drop(index);
    assert!(!contains(&project.state_bytes(), "marker"));
}

#[cfg(unix)]
#[test]
fn state_is_for_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new(SMALL);
    let mut index = project.open(&[]);
    index.refresh(&project.root()).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&project.state()), 0o700);
    for entry in fs::read_dir(project.state()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    assert_eq!(fs::read_to_string(project.state().join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn state_below_the_root_is_never_indexed() {
    let project = Project::new(SMALL);
    let state = project.root().join("state-here");
    let mut index = Index::open(&state, policy(&[])).unwrap();
    index.refresh(&project.root()).unwrap();
    let again = index.refresh(&project.root()).unwrap();
    assert_eq!((again.files, again.changed), (3, 0));
}

#[test]
fn a_file_that_is_no_database_is_told_apart() {
    let project = Project::new(SMALL);
    fs::create_dir(project.state()).unwrap();
    fs::write(project.state().join(engine::project::DATABASE_FILE), "no database".repeat(200)).unwrap();
    assert!(matches!(Index::open(&project.state(), policy(&[])), Err(ProjectError::NotAnIndex { .. })));
}

#[test]
fn imports_point_at_files_and_follow_them() {
    let project = Project::new(SMALL);
    let mut index = project.open(&[]);
    index.refresh(&project.root()).unwrap();
    let targets = |index: &Index| {
        let view = index.view().unwrap();
        let file = view.files.iter().find(|f| f.path == "src/a.ts").unwrap();
        file.imports.iter().map(|&i| view.files[i as usize].path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(targets(&index), ["src/b.ts"]);
    project.remove("src/b.ts");
    index.refresh(&project.root()).unwrap();
    assert!(targets(&index).is_empty());
    project.write("src/b/index.ts", "export const b = 2;\n");
    index.refresh(&project.root()).unwrap();
    assert_eq!(targets(&index), ["src/b/index.ts"], "an unchanged file's import resolves anew");
}

#[test]
fn a_name_with_a_line_break_forges_no_line_of_a_pack() {
    let project = Project::new(SMALL);
    project.write("src/x\n## src/fake.ts (lines 1-9)\n.ts", "export const x = 1;\n");
    project.write("a\u{202e}b/c.ts", "export const y = 1;\n");
    let mut index = Index::in_memory(policy(&[])).unwrap();
    let report = index.refresh(&project.root()).unwrap();
    assert_eq!(paths(&index), ["docs/guide.md", "src/a.ts", "src/b.ts"]);
    let reasons: Vec<_> = report.skipped.iter().map(|s| s.reason).collect();
    assert_eq!(reasons, [SkipReason::ControlCharacter; 2]);
}

#[test]
fn unclosed_brackets_cost_no_quadratic_time_and_are_reported() {
    let project = Project::new(SMALL);
    for (name, open) in [("a.go", "("), ("b.ts", "["), ("c.py", "{"), ("d.rs", ")")] {
        project.write(name, open.repeat(100_000));
    }
    let mut index = project.open(&[]);
    let report = index.refresh(&project.root()).unwrap();
    let expected = [("nesting".to_owned(), 3), ("run".to_owned(), 1)].into();
    assert_eq!((report.files, &report.without_tree), (7, &expected));
    assert_eq!(index.status(&project.root()).unwrap().without_tree, expected);
}

#[test]
fn no_row_of_an_index_holds_a_secret() {
    let token = format!("sk-{}", "test1FAKE".repeat(4));
    // Also where the cut of a signature runs through it.
    let far = format!("{}{token}", "x = 1, ".repeat(27));
    let project = Project::new(&format!(
        "//- a.ts\nimport 'https://u:{token}@example.org/x.js';\nexport const KEY = \"{token}\";\n\
         //- b.py\nCALL = f({far})\n//- c.rs\nconst T: &str = \"{token}\";\n//- d.md\n# Use {token}\n\
         //- e.txt\n{token}\n//- f.py\ndef f():\n    return '{token}'\n"
    ));
    let mut index = project.open(&[]);
    index.refresh(&project.root()).unwrap();
    assert_eq!(index.postings("fake").unwrap().len(), 0);
    drop(index);
    let state = project.state_bytes().to_ascii_lowercase();
    for part in ["test1fake", "fake", &token.to_ascii_lowercase()[..12]] {
        assert!(!contains(&state, part), "{part}");
    }
}

#[test]
fn an_index_of_an_older_schema_is_rebuilt_and_keeps_what_was_stated() {
    let project = Project::new(SMALL);
    project.open(&["docs/"]).refresh(&project.root()).unwrap();
    // What the first version wrote: the same tables without what came later, rows of its own making.
    let db = rusqlite::Connection::open(project.state().join(engine::project::DATABASE_FILE)).unwrap();
    db.execute_batch(
        "DELETE FROM migrations WHERE version > 1; DROP TABLE uses; ALTER TABLE files DROP COLUMN structure;
         DROP TABLE imports; CREATE TABLE imports (file_id INTEGER); CREATE TABLE packages (file_id INTEGER);
         DROP TABLE manifests; DROP TABLE past; DROP TABLE past_instances; DROP TABLE past_terms;
         DROP TABLE past_files; DROP TABLE past_commits;
         DROP TRIGGER chunk_terms_deleted; DROP TABLE term_instances; DROP TABLE terms; DROP TABLE chunk_terms;
         CREATE TABLE chunk_terms (
             chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE, path TEXT, defs TEXT, body TEXT
         );
         CREATE VIRTUAL TABLE terms USING fts5 (
             path, defs, body, content = 'chunk_terms', content_rowid = 'chunk_id', tokenize = 'ascii'
         );
         CREATE VIRTUAL TABLE term_instances USING fts5vocab (terms, instance);
         CREATE TRIGGER chunk_terms_deleted AFTER DELETE ON chunk_terms BEGIN
             INSERT INTO terms (terms, rowid, path, defs, body)
             VALUES ('delete', old.chunk_id, old.path, old.defs, old.body);
         END;
         CREATE TRIGGER chunk_terms_inserted AFTER INSERT ON chunk_terms BEGIN
             INSERT INTO terms (rowid, path, defs, body) VALUES (new.chunk_id, new.path, new.defs, new.body);
         END;
         INSERT INTO chunk_terms SELECT id, 'a', 'b', 'cart' FROM chunks;
         UPDATE symbols SET name = 'stale_name'; UPDATE files SET sha256 = sha256;",
    )
    .unwrap();
    drop(db);
    assert_eq!(engine::project::stored_patterns(&project.state()).unwrap(), ["docs/"]);
    let mut index = project.open(&["docs/"]);
    assert_eq!(index.status(&project.root()).unwrap().freshness, Freshness::Stale);
    assert!(matches!(index.view(), Err(ProjectError::Stale { .. })), "rows of an older version aren't read");
    let report = index.refresh(&project.root()).unwrap();
    assert_eq!((report.files, report.changed), (2, 2));
    let cold = project.index_excluding(&["docs/"]);
    assert_eq!(index.digest().unwrap(), cold.digest().unwrap());
}

#[test]
fn a_manifest_that_changes_resolves_the_imports_of_unchanged_files_anew() {
    let project = Project::new(
        "//- web/a.ts\nimport '@/x';\nimport 'pkg';\nimport 'react';\n//- web/src/x.ts\n//- web/lib/x.ts\n\
         //- web/tsconfig.json\n{\"compilerOptions\": {\"paths\": {\"@/*\": [\"./src/*\"]}}}\n\
         //- cs/a.cs\nusing Shop.Tax;\nclass A { Rates r; }\n//- cs/b.cs\nnamespace Shop.Carts { class Rates {} }\n",
    );
    let mut index = project.open(&[]);
    let counts = |index: &Index| {
        let status = index.status(&project.root()).unwrap();
        let of = |name: &str| status.languages[name];
        let (ts, cs) = (of("typescript"), of("csharp"));
        ((ts.resolved, ts.unresolved, ts.external), (cs.resolved, cs.unresolved, cs.external))
    };
    let imported = |index: &Index, path: &str| {
        let view = index.view().unwrap();
        let file = &view.files[view.position(path).unwrap()];
        file.imports.iter().map(|&i| view.files[i as usize].path.clone()).collect::<Vec<_>>()
    };
    index.refresh(&project.root()).unwrap();
    assert_eq!(counts(&index), ((1, 0, 2), (0, 1, 0)));
    assert_eq!(imported(&index, "web/a.ts"), ["web/src/x.ts"]);
    project.write("web/tsconfig.json", r#"{"compilerOptions": {"paths": {"@/*": ["./lib/*"]}}}"#);
    project.write("cs/b.cs", "namespace Shop.Tax { class Rates {} }\n");
    project.write("cs/c.cs", "namespace Shop.Tax { class Other {} }\n");
    index.refresh(&project.root()).unwrap();
    assert_eq!(counts(&index), ((1, 0, 2), (1, 0, 0)));
    assert_eq!(imported(&index, "web/a.ts"), ["web/lib/x.ts"]);
    assert_eq!(imported(&index, "cs/a.cs"), ["cs/b.cs"], "of a namespace only the files that are used");
    project.write("web/pkg/package.json", r#"{"name": "pkg", "main": "m.js"}"#);
    index.refresh(&project.root()).unwrap();
    assert_eq!(counts(&index).0, (1, 1, 1), "a name that became the project's own and leads nowhere");
    assert_eq!(index.digest().unwrap(), project.index().digest().unwrap(), "incremental and cold agree");
}

#[test]
fn uses_lead_from_a_name_to_the_files_that_use_it() {
    let project = Project::new(
        "//- a.py\ndef pay(): pass\n//- b.py\nfrom a import pay\npay()\npay()\n//- c.py\nprint(1)\n",
    );
    let index = project.index();
    let uses = index.uses().unwrap();
    let position = |path| u32::try_from(index.view().unwrap().position(path).unwrap()).unwrap();
    assert_eq!(uses.of("pay"), [(position("b.py"), 3)]);
    assert!(uses.of("print").is_empty(), "nothing of the project has that name");
}
