//! What Pi 1.6.0's own context builder selects, at several leaves of real and recorded sessions.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use adapters::log::{self, ReadOptions, Version, View};
use engine::message::Role;
use engine::session::TreeIndex;
use serde_json::Value;

use crate::support::shared;

#[test]
fn selects_what_pi_selects_at_every_leaf() {
    let Some(corpora) = shared("corpora") else { return };
    let mut oracles: Vec<_> = std::fs::read_dir(corpora.join("pi-oracle"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    oracles.sort();
    let checked: usize = oracles.iter().map(|oracle| check(&corpora, oracle)).sum();
    eprintln!("{} sessions, {checked} leaves", oracles.len());
    assert!(checked >= 64, "only {checked} leaves");
}

fn check(corpora: &Path, oracle: &Path) -> usize {
    let oracle: Value = serde_json::from_slice(&std::fs::read(oracle).unwrap()).unwrap();
    let name = oracle["file"].as_str().unwrap();
    let path =
        ["pi", "pi-recorded"].map(|folder| corpora.join(folder).join(name)).into_iter().find(|p| p.exists());
    let session =
        log::read(BufReader::new(File::open(path.unwrap()).unwrap()), &ReadOptions::default()).unwrap();
    let header = session.header.as_ref().unwrap();
    assert_eq!(header.version, oracle["headerVersion"].as_u64().map(Version::Number), "{name}");
    let tree = session.view(View::Agent);
    assert_eq!(tree.entries.len() as u64, oracle["entries"].as_u64().unwrap(), "{name}");
    let index = TreeIndex::new(tree);
    let leaves = oracle["leaves"].as_array().unwrap();
    for expected in leaves {
        let leaf_line = expected["leafLine"].as_u64().unwrap();
        let leaf = tree.entries.iter().position(|entry| entry.line == leaf_line).unwrap();
        let selection = index.select(tree, leaf);
        let lines: Vec<u64> = selection.entries.iter().map(|entry| tree.entries[*entry].line).collect();
        let wanted: Vec<u64> =
            expected["selected"].as_array().unwrap().iter().map(|line| line.as_u64().unwrap()).collect();
        assert_eq!(lines, wanted, "{name} at line {leaf_line}");
        let llm = expected["llm"].as_array().unwrap();
        assert_eq!(selection.messages.len(), llm.len(), "{name} at line {leaf_line}");
        for (position, (item, wanted)) in selection.messages.iter().zip(llm).enumerate() {
            let place = format!("{name} at line {leaf_line}, message {position}");
            let role = match item.message.role {
                Role::ToolResult => "toolResult",
                role => role.name(),
            };
            assert_eq!(role, wanted["role"].as_str().unwrap(), "{place}");
            // The oracle hashes a system message's content only, which is empty; its sections and tools are ours.
            if role != "system" {
                assert_eq!(&item.message.text_sha256()[..16], wanted["sha"].as_str().unwrap(), "{place}");
            }
        }
    }
    leaves.len()
}
