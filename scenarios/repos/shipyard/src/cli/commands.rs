//! The verbs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::args::{Arguments, Format, HELP};
use crate::cache::State;
use crate::catalog::Catalog;
use crate::graph::Graph;
use crate::history::History;
use crate::manifest::Manifest;
use crate::tree::Tree;
use crate::{
    Error, affected, cachekey, critical, duration, lockdiff, lockfile, report, resolver, schedule,
};

pub(super) fn run(arguments: &Arguments) -> Result<String, Error> {
    if arguments.verb == "help" {
        return Ok(HELP.to_string());
    }
    let manifest = Manifest::parse(&read(&arguments.yard)?, &arguments.yard)?;
    let graph = Graph::new(&manifest)?;
    match arguments.verb.as_str() {
        "plan" => plan(arguments, &manifest, &graph),
        "critical" => chain(arguments, &manifest, &graph),
        "affected" => touched(arguments, &manifest, &graph),
        "keys" => keys(arguments, &manifest, &graph),
        "lock" => lock(arguments, &manifest),
        "outdated" => outdated(arguments, &manifest),
        "graph" => Ok(report::dot::graph(&graph, &BTreeSet::new())),
        verb => Err(Error::Usage(format!("unknown verb '{verb}'"))),
    }
}

fn plan(arguments: &Arguments, manifest: &Manifest, graph: &Graph) -> Result<String, Error> {
    let takes = history(arguments)?.durations(manifest);
    let keys = cachekey::compute(manifest, graph, &tree(arguments)?)?;
    let state = match &arguments.state {
        Some(path) => State::parse(&read(path)?, path)?,
        None => State::default(),
    };
    let plan = schedule::schedule(graph, &takes, &state.stale(&keys), arguments.workers)?;
    Ok(match arguments.format {
        Format::Json => report::json::schedule(&plan),
        _ => report::text::schedule(&plan, arguments.workers),
    })
}

fn chain(arguments: &Arguments, manifest: &Manifest, graph: &Graph) -> Result<String, Error> {
    let (names, total) = critical::path(graph, &history(arguments)?.durations(manifest))?;
    Ok(format!(
        "{} ({})\n",
        names.join(" -> "),
        duration::format(total)
    ))
}

fn touched(arguments: &Arguments, manifest: &Manifest, graph: &Graph) -> Result<String, Error> {
    let found = affected::affected(manifest, graph, &arguments.changed, Some(&arguments.yard))?;
    Ok(match arguments.format {
        Format::Text => report::text::affected(&found),
        Format::Json => report::json::affected(&found),
        Format::Dot => report::dot::graph(graph, &found.all),
    })
}

fn keys(arguments: &Arguments, manifest: &Manifest, graph: &Graph) -> Result<String, Error> {
    let tree = tree(arguments)?;
    if let Some(name) = &arguments.explain {
        let found = cachekey::explain(manifest, graph, &tree, name)?;
        let uses = if found.dependencies.is_empty() {
            "nothing".into()
        } else {
            found.dependencies.join(", ")
        };
        return Ok(format!(
            "{name}: {} files, print {}, uses {uses}\n",
            found.files, found.print
        ));
    }
    let keys = cachekey::compute(manifest, graph, &tree)?;
    Ok(match arguments.format {
        Format::Json => report::json::object(&keys),
        _ => report::text::pairs(keys.iter().map(|(name, key)| (name.as_str(), key.as_str()))),
    })
}

fn lock(arguments: &Arguments, manifest: &Manifest) -> Result<String, Error> {
    let chosen = resolver::resolve(manifest, &catalog(arguments)?)?;
    match &arguments.lock {
        None => Ok(lockfile::write(&chosen)),
        Some(path) => {
            let old = lockfile::parse(&read(path)?, path)?;
            Ok(report::text::changes(&lockdiff::diff(&old, &chosen)))
        }
    }
}

fn outdated(arguments: &Arguments, manifest: &Manifest) -> Result<String, Error> {
    let catalog = catalog(arguments)?;
    let chosen = resolver::resolve(manifest, &catalog)?;
    let lines = resolver::outdated(&chosen, &catalog)
        .into_iter()
        .map(|(name, version, newest)| format!("{name} {version}, newest {newest}\n"));
    Ok(lines.collect())
}

fn catalog(arguments: &Arguments) -> Result<Catalog, Error> {
    let path = arguments
        .catalog
        .as_ref()
        .ok_or_else(|| Error::Usage(format!("'{}' needs --catalog", arguments.verb)))?;
    Catalog::parse(&read(path)?, path)
}

fn history(arguments: &Arguments) -> Result<History, Error> {
    match &arguments.history {
        Some(path) => History::parse(&read(path)?, path),
        None => Ok(History::default()),
    }
}

fn tree(arguments: &Arguments) -> Result<Tree, Error> {
    match &arguments.root {
        Some(root) => Tree::read(Path::new(root)),
        None => Ok(Tree::default()),
    }
}

fn read(path: &str) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error::Io {
        path: path.to_string(),
        reason: error.to_string(),
    })
}
