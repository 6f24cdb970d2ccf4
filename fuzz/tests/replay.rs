//! Every seed through its target, without a fuzzer: what once broke a promise keeps holding.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn seeds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds")
}

fn faults() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpora/faults")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder of seeds is there");
    entries.map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_target_holds_for_its_seeds() {
    for (target, check) in fuzz::TARGETS {
        let folder = seeds().join(target);
        let files = names(&folder);
        assert!(!files.is_empty(), "{target} has no seed");
        for file in files {
            let bytes = fs::read(folder.join(&file)).expect("a seed can be read");
            println!("{target}/{file}");
            check(&bytes);
        }
    }
}

/// The corpus of faults is also what the fuzzer begins with.
#[test]
fn every_target_holds_for_the_corpus_of_faults() {
    let files: Vec<PathBuf> = names(&faults()).iter().map(|name| faults().join(name)).collect();
    let bytes: Vec<Vec<u8>> =
        files.iter().filter(|file| file.is_file()).map(|file| fs::read(file).unwrap()).collect();
    assert!(bytes.len() > 100, "the corpus is there");
    for (target, check) in fuzz::TARGETS {
        println!("{target}");
        bytes.iter().for_each(|bytes| check(bytes));
    }
}

#[test]
fn every_folder_of_seeds_has_a_target() {
    let targets: BTreeSet<String> = fuzz::TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&seeds()), targets);
}
