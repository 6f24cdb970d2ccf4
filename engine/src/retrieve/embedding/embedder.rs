//! Embeds a project and asks how similar its files are to a task.

use std::collections::BTreeMap;

use crate::project::{FileView, Index, Quotable};
use crate::store::{EmbeddedFile, Maker, StoreError, VectorStore};

use super::failure::EmbeddingFailure;
use super::outbound::{Consent, Outbound};
use super::piece::{CUTTING, Wanted, pieces};
use super::provider::{EmbeddingProvider, TextKind};
use super::similar::{EmbeddingUse, Semantic, Similarities};

/// The only way to a provider. It exists under consent alone.
pub struct Embedder<P> {
    provider: P,
    maker: Maker,
    /// A provider that failed isn't asked again: it may be out of step, or gone.
    failed: Option<EmbeddingFailure>,
}

/// What bringing the vectors of a project up to date did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Synced {
    /// Files that have vectors now.
    pub files: u64,
    /// Of those, files that were sent.
    pub sent_files: u64,
    /// Texts that were sent.
    pub sent: u64,
    /// Files without vectors: for want of room, changed since they were indexed, or not readable.
    pub left_out: u64,
}

/// A file whose pieces are to be sent.
struct Pending<'v> {
    file: &'v FileView,
    pieces: Vec<Outbound>,
}

impl<P: EmbeddingProvider> Embedder<P> {
    /// Joins a provider and the consent to send text to it.
    ///
    /// # Errors
    /// Where the consent is to another destination.
    pub fn new(provider: P, consent: &Consent) -> Result<Embedder<P>, EmbeddingFailure> {
        if !consent.covers(provider.destination()) {
            return Err(EmbeddingFailure::Consent { destination: provider.destination().to_owned() });
        }
        let model = provider.model();
        let maker =
            Maker { model: model.name().to_owned(), dimensions: model.dimensions(), cutting: CUTTING };
        Ok(Embedder { provider, maker, failed: None })
    }

    /// Brings the vectors of a refreshed index up to date, then says how similar its files are to a task.
    pub fn hear(&mut self, index: &Index, store: &mut VectorStore, task: &str, weight: f64) -> Semantic {
        let heard = self.sync(index, store).and_then(|synced| {
            let mut similar = self.similar(store, task, weight)?;
            similar.usage.sent += synced.sent;
            similar.usage.left_out = synced.left_out;
            Ok(similar)
        });
        heard.map_or_else(Semantic::Unheard, Semantic::Heard)
    }

    /// Brings the vectors of a refreshed index up to date: those of changed files, of files that are gone and of another model
    /// are forgotten, and what is missing is sent. What was sent stays known whatever happens to the rest.
    ///
    /// # Errors
    /// Whatever keeps the vectors from being complete.
    pub fn sync(&mut self, index: &Index, store: &mut VectorStore) -> Result<Synced, EmbeddingFailure> {
        let view = index.view().map_err(|error| EmbeddingFailure::Index { message: error.to_string() })?;
        let wanted = Wanted::of(view, self.maker.dimensions);
        let known = store.keep(&self.maker, &wanted.hashes()).map_err(kept)?;
        let mut synced = Synced { files: known.len() as u64, left_out: wanted.left_out, ..Synced::default() };
        let missing = wanted.files.iter().filter(|file| !known.contains(&file.path));
        let batch = self.provider.model().batch();
        let mut group: Vec<Pending<'_>> = Vec::new();
        let mut waiting = 0;
        for file in missing {
            let Quotable::Text(text) = index.quote(file) else {
                synced.left_out += 1;
                continue;
            };
            let pieces = pieces(file, &text);
            waiting += pieces.len();
            group.push(Pending { file, pieces });
            if waiting >= batch {
                self.send(std::mem::take(&mut group), store, &mut synced)?;
                waiting = 0;
            }
        }
        self.send(group, store, &mut synced)?;
        Ok(synced)
    }

    /// How similar the embedded files are to a task. [`Embedder::sync`] comes first.
    ///
    /// # Errors
    /// Where the provider or the store fails.
    pub fn similar(
        &mut self,
        store: &VectorStore,
        task: &str,
        weight: f64,
    ) -> Result<Similarities, EmbeddingFailure> {
        let mut usage = EmbeddingUse { model: self.maker.model.clone(), ..EmbeddingUse::default() };
        let mut files: BTreeMap<String, f64> = BTreeMap::new();
        // Without a word there is nothing to be similar to.
        if task.chars().any(char::is_alphanumeric) {
            let asked = self.embed(TextKind::Query, &[Outbound::masked(task)])?;
            usage.sent = 1;
            store
                .for_each(&self.maker, |path, vector| {
                    let cosine = dot(&asked[0], vector);
                    match files.get_mut(path) {
                        Some(best) => *best = best.max(cosine),
                        None => drop(files.insert(path.to_owned(), cosine)),
                    }
                })
                .map_err(kept)?;
        }
        usage.files = files.len() as u64;
        Ok(Similarities { weight, files, usage })
    }

    /// Embeds the pieces of some files and keeps their vectors.
    fn send(
        &mut self,
        group: Vec<Pending<'_>>,
        store: &mut VectorStore,
        synced: &mut Synced,
    ) -> Result<(), EmbeddingFailure> {
        let texts: Vec<Outbound> = group.iter().flat_map(|pending| pending.pieces.iter().cloned()).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.provider.model().batch()) {
            vectors.extend(self.embed(TextKind::Passage, batch)?);
        }
        let mut vectors = vectors.into_iter();
        let files: Vec<EmbeddedFile> = group
            .iter()
            .map(|Pending { file, pieces }| EmbeddedFile {
                path: file.path.clone(),
                sha256: file.sha256,
                vectors: vectors.by_ref().take(pieces.len()).collect(),
            })
            .collect();
        store.add(&self.maker, &files).map_err(kept)?;
        synced.files += files.len() as u64;
        synced.sent_files += files.len() as u64;
        synced.sent += texts.len() as u64;
        Ok(())
    }

    /// Asks the provider; every vector is checked and brought to length 1.
    fn embed(&mut self, kind: TextKind, texts: &[Outbound]) -> Result<Vec<Vec<f32>>, EmbeddingFailure> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        let dimensions = self.maker.dimensions;
        let answer = self.provider.embed(kind, texts).and_then(|vectors| {
            if vectors.len() != texts.len() {
                return Err(EmbeddingFailure::Count { expected: texts.len(), found: vectors.len() });
            }
            vectors.iter().map(|vector| of_length_one(vector, dimensions)).collect()
        });
        if let Err(failure) = &answer {
            self.failed = Some(failure.clone());
        }
        answer
    }
}

fn of_length_one(vector: &[f32], dimensions: usize) -> Result<Vec<f32>, EmbeddingFailure> {
    if vector.len() != dimensions {
        return Err(EmbeddingFailure::Dimensions { expected: dimensions, found: vector.len() });
    }
    if !vector.iter().all(|number| number.is_finite()) {
        return Err(EmbeddingFailure::NotFinite);
    }
    let length = dot(vector, vector).sqrt();
    if length == 0.0 {
        return Err(EmbeddingFailure::Zero);
    }
    Ok(vector.iter().map(|&number| (f64::from(number) / length) as f32).collect())
}

/// The inner product, from the first number to the last: of vectors of length 1 their cosine.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

fn kept(error: StoreError) -> EmbeddingFailure {
    EmbeddingFailure::Store { message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_checked_and_brought_to_length_one() {
        assert_eq!(of_length_one(&[3.0, 4.0], 2), Ok(vec![0.6, 0.8]));
        assert_eq!(of_length_one(&[1e-30, 0.0], 2), Ok(vec![1.0, 0.0]));
        let wrong = EmbeddingFailure::Dimensions { expected: 2, found: 3 };
        assert_eq!(of_length_one(&[1.0; 3], 2), Err(wrong));
        assert_eq!(of_length_one(&[f32::NAN, 1.0], 2), Err(EmbeddingFailure::NotFinite));
        assert_eq!(of_length_one(&[f32::INFINITY, 1.0], 2), Err(EmbeddingFailure::NotFinite));
        assert_eq!(of_length_one(&[0.0, -0.0], 2), Err(EmbeddingFailure::Zero));
    }
}
