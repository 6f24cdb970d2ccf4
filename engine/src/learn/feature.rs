//! The features of one file under one task, each in 0..=1.
//!
//! A model names its features; positions mean nothing. What the text itself names (a path, a file that a command runs) is
//! no feature: such files aren't re-ordered at all.

use crate::project::Role;
use crate::retrieve::Column;

use super::constants::FEATURES;
use super::context::{Context, Field};

/// Version of the table below: a change of what a name means raises it.
pub const FEATURE_SET: &str = "ranking-features/1";

/// One feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// `NAME.share`: a source's score of the file over its best score.
    Share(Column),
    /// `NAME.rank`: 1 over the file's rank in a source, equal scores sharing a rank; 0 where the source is silent.
    Rank(Column),
    /// `words-FIELD.share`: BM25 of one field alone over its best.
    WordsShare(Field),
    /// `words-FIELD.rank`: 1 over the rank by it.
    WordsRank(Field),
    /// `covered-FIELD`: share of the task's own words, by rarity, that the field has.
    Covered(Field),
    /// `covered`: share of them that any field has.
    CoveredAnywhere,
    /// `static.share`: the static score over the best one, without what the text names.
    StaticShare,
    /// `static.rank`: 1 over the static rank among files that may move.
    StaticRank,
    /// `static.gap`: what the file lacks to the one before it, over the best score.
    StaticGap,
    /// `agreement`: sources that have the file among their first five, of eight or more.
    Agreement,
    /// `role.NAME`: 1 for files of the role.
    Role(Role),
    /// `path.depth`: folders above it, of eight or more.
    Depth,
    /// `path.index`: 1 for files that stand for their folder (`mod.rs`, `index.ts`, `__init__.py`).
    IsIndex,
    /// `file.lines`: log2(1 + lines) of 16.
    Lines,
    /// `file.symbols`: log2(1 + definitions) of 10.
    Symbols,
    /// `file.imports`: log2(1 + files it imports) of 8.
    Imports,
    /// `file.importers`: log2(1 + files that import it) of 8.
    Importers,
    /// `commits.count`: log2(1 + past commits that touched it) of 10.
    Commits,
    /// `commits.recency`: halved every 90 days since the last of them; 0 without one.
    Recency,
    /// `partner.static`: the best static share of its test or tested partners.
    PartnerStatic,
    /// `imports.static`: the best static share of what it imports.
    ImportsStatic,
    /// `importers.static`: the best static share of what imports it.
    ImportersStatic,
    /// `folder.static`: the best static share of another file of its folder.
    FolderStatic,
    /// `folder.rank`: 1 over the rank of its folder by the sum of static shares.
    FolderRank,
    /// `query.words`: words of the task that count, of 32 or more.
    QueryWords,
    /// `query.identifiers`: 1 where the task has words written as code.
    QueryIdentifiers,
    /// `query.area`: 1 where the task begins with an area.
    QueryArea,
    /// `query.tests`: 1 where the task asks for work on tests.
    QueryTests,
    /// `query.documents`: 1 where it asks for work on documents.
    QueryDocuments,
    /// `query.lead`: the relative lead of the first file over the second in the static ranking.
    QueryLead,
    /// `query.history`: 1 where past commits speak at all.
    QueryHistory,
    /// `query.agreed`: 1 where words and history have the same file first.
    QueryAgreed,
    /// `project.files`: log2(1 + files) of 16.
    ProjectFiles,
}

/// Columns that are features: every source but what the text names.
fn columns() -> impl Iterator<Item = Column> {
    Column::ALL.into_iter().filter(|column| !matches!(column, Column::ExplicitPath | Column::RunTarget))
}

const SINGLE: [Feature; 28] = [
    Feature::CoveredAnywhere,
    Feature::StaticShare,
    Feature::StaticRank,
    Feature::StaticGap,
    Feature::Agreement,
    Feature::Role(Role::Test),
    Feature::Role(Role::Document),
    Feature::Role(Role::Data),
    Feature::Role(Role::Generated),
    Feature::Depth,
    Feature::IsIndex,
    Feature::Lines,
    Feature::Symbols,
    Feature::Imports,
    Feature::Importers,
    Feature::Commits,
    Feature::Recency,
    Feature::PartnerStatic,
    Feature::ImportsStatic,
    Feature::ImportersStatic,
    Feature::FolderStatic,
    Feature::FolderRank,
    Feature::QueryWords,
    Feature::QueryIdentifiers,
    Feature::QueryArea,
    Feature::QueryTests,
    Feature::QueryDocuments,
    Feature::QueryLead,
];

const LAST: [Feature; 3] = [Feature::QueryHistory, Feature::QueryAgreed, Feature::ProjectFiles];

impl Feature {
    /// Every feature of this build, by name.
    pub fn all() -> Vec<Feature> {
        let mut all: Vec<Feature> = columns().flat_map(|c| [Feature::Share(c), Feature::Rank(c)]).collect();
        all.extend(
            Field::ALL
                .into_iter()
                .flat_map(|f| [Feature::WordsShare(f), Feature::WordsRank(f), Feature::Covered(f)]),
        );
        all.extend(SINGLE);
        all.extend(LAST);
        all.sort_by_key(|feature| feature.name());
        all
    }

    /// The stable name, in models.
    pub fn name(self) -> String {
        match self {
            Feature::Share(column) => format!("{}.share", column.name()),
            Feature::Rank(column) => format!("{}.rank", column.name()),
            Feature::WordsShare(field) => format!("words-{}.share", field.name()),
            Feature::WordsRank(field) => format!("words-{}.rank", field.name()),
            Feature::Covered(field) => format!("covered-{}", field.name()),
            Feature::Role(role) => format!("role.{}", role.code()),
            other => other.single_name().to_owned(),
        }
    }

    fn single_name(self) -> &'static str {
        match self {
            Feature::CoveredAnywhere => "covered",
            Feature::StaticShare => "static.share",
            Feature::StaticRank => "static.rank",
            Feature::StaticGap => "static.gap",
            Feature::Agreement => "agreement",
            Feature::Depth => "path.depth",
            Feature::IsIndex => "path.index",
            Feature::Lines => "file.lines",
            Feature::Symbols => "file.symbols",
            Feature::Imports => "file.imports",
            Feature::Importers => "file.importers",
            Feature::Commits => "commits.count",
            Feature::Recency => "commits.recency",
            Feature::PartnerStatic => "partner.static",
            Feature::ImportsStatic => "imports.static",
            Feature::ImportersStatic => "importers.static",
            Feature::FolderStatic => "folder.static",
            Feature::FolderRank => "folder.rank",
            Feature::QueryWords => "query.words",
            Feature::QueryIdentifiers => "query.identifiers",
            Feature::QueryArea => "query.area",
            Feature::QueryTests => "query.tests",
            Feature::QueryDocuments => "query.documents",
            Feature::QueryLead => "query.lead",
            Feature::QueryHistory => "query.history",
            Feature::QueryAgreed => "query.agreed",
            Feature::ProjectFiles => "project.files",
            Feature::Share(_)
            | Feature::Rank(_)
            | Feature::WordsShare(_)
            | Feature::WordsRank(_)
            | Feature::Covered(_)
            | Feature::Role(_) => "",
        }
    }

    /// The feature of a name; `None` for one that this build doesn't know.
    pub fn by_name(name: &str) -> Option<Feature> {
        Feature::all().into_iter().find(|feature| feature.name() == name)
    }

    /// Its value for a file, 0..=1.
    pub fn value(self, context: &Context<'_>, file: usize) -> f64 {
        let value = self.raw(context, file);
        // A value that is no number can't speak for a file.
        if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 }
    }

    fn raw(self, context: &Context<'_>, file: usize) -> f64 {
        let flag = |is: bool| f64::from(u8::from(is));
        let entry = &context.view.files[file];
        match self {
            Feature::Share(column) => context.source(column).share[file],
            Feature::Rank(column) => context.source(column).rank[file],
            Feature::WordsShare(field) => context.words(field).share[file],
            Feature::WordsRank(field) => context.words(field).rank[file],
            Feature::Covered(field) => context.covered[field as usize][file],
            Feature::CoveredAnywhere => context.covered_anywhere[file],
            Feature::StaticShare => context.fused.share[file],
            Feature::StaticRank => context.fused.rank[file],
            Feature::StaticGap => context.gap[file],
            Feature::Agreement => f64::from(context.agreement[file]) / FEATURES.most_agreement,
            Feature::Role(role) => flag(entry.role == role),
            Feature::Depth => entry.path.matches('/').count() as f64 / FEATURES.most_depth,
            Feature::IsIndex => flag(is_index(&entry.path)),
            Feature::Lines => logarithm(entry.lines as usize, FEATURES.log_lines),
            Feature::Symbols => logarithm(entry.symbols.len(), FEATURES.log_symbols),
            Feature::Imports => logarithm(entry.imports.len(), FEATURES.log_imports),
            Feature::Importers => logarithm(context.importers[file].len(), FEATURES.log_imports),
            Feature::Commits => logarithm(context.commits[file] as usize, FEATURES.log_commits),
            Feature::Recency => context.recency[file],
            Feature::PartnerStatic => context.best_share(&context.view.test_pairs()[file]),
            Feature::ImportsStatic => context.best_share(&entry.imports),
            Feature::ImportersStatic => context.best_share(&context.importers[file]),
            Feature::FolderStatic => context.folder_best(file),
            Feature::FolderRank => context.folder_rank(file),
            Feature::QueryWords => context.task.plain_words.len() as f64 / FEATURES.most_words,
            Feature::QueryIdentifiers => flag(!context.task.identifiers.is_empty()),
            Feature::QueryArea => flag(!context.task.areas.is_empty()),
            Feature::QueryTests => flag(context.task.about_tests),
            Feature::QueryDocuments => flag(context.task.about_documents),
            Feature::QueryLead => context.lead,
            Feature::QueryHistory => flag(context.source(Column::History).first.is_some()),
            Feature::QueryAgreed => {
                let (words, past) = (context.source(Column::Lexical), context.source(Column::History));
                flag(words.first.is_some() && words.first == past.first)
            }
            Feature::ProjectFiles => logarithm(context.view.files.len(), FEATURES.log_files),
        }
    }
}

/// log2(1 + count) of `most`.
fn logarithm(count: usize, most: f64) -> f64 {
    ((1 + count) as f64).log2() / most
}

fn is_index(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().is_some_and(|stem| FEATURES.index_stems.contains(&stem))
}

/// A feature as models see it: 256 steps, rounded to the nearest.
pub fn quantise(value: f64) -> u8 {
    (value.clamp(0.0, 1.0) * f64::from(FEATURES.steps)).round() as u8
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_feature_has_one_name_of_its_own() {
        let all = Feature::all();
        let names: BTreeSet<String> = all.iter().map(|feature| feature.name()).collect();
        assert_eq!(names.len(), all.len());
        assert!(names.iter().all(|name| !name.is_empty()), "{names:?}");
        assert!(all.iter().all(|feature| Feature::by_name(&feature.name()) == Some(*feature)));
        assert!(Feature::by_name("explicit-path.share").is_none());
    }

    #[test]
    fn quantising_keeps_order_and_bounds() {
        assert_eq!((quantise(-1.0), quantise(0.0), quantise(1.0), quantise(7.0)), (0, 0, 255, 255));
        assert!((0..255).all(|step| quantise(f64::from(step) / 255.0) == step));
        assert_eq!(quantise(f64::NAN), 0);
    }
}
