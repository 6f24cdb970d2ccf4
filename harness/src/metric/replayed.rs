//! Metrics of the replayed plane: request scores averaged over a session's requests, in order.
//!
//! `prefix-reuse` is the sum of reusable tokens over the sum of previous prompts' tokens, and `context-quality-v1` takes
//! its rates after summing the counts of the session's requests (a session without needed files scores 0).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::quality::{self, Measures};

use super::{Metric, OrderComparison};
use crate::corpus::{Fault, RunKey};
use crate::replay::{OrderScore, PlannedRequest, ReplayEvent, RequestScore};

/// Collects a replay's scores; of a session that is done only its values are kept.
#[derive(Debug, Default)]
pub struct ReplayedMetrics {
    open: BTreeMap<Arc<str>, Session>,
    done: Vec<SessionValues>,
    /// Orders with a second opinion, each with its variant.
    orders: Vec<(Arc<str>, OrderScore)>,
    faults: Vec<Fault>,
    planned: usize,
    requests: usize,
}

#[derive(Debug)]
struct Session {
    cluster: Arc<str>,
    numbers: BTreeSet<usize>,
    requests: Vec<RequestScore>,
    orders: Vec<OrderScore>,
}

/// Values of one session under one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionValues {
    /// The baseline's run that was replayed.
    pub session: RunKey,
    /// Repository.
    pub cluster: Arc<str>,
    /// Variant that planned.
    pub variant: Arc<str>,
    /// The values.
    pub values: Vec<(Metric, f64)>,
}

impl ReplayedMetrics {
    /// Takes the next event of a session; those of another one come behind its end.
    pub fn see(&mut self, event: &ReplayEvent) {
        match event {
            ReplayEvent::Planned(planned) => self.planned(planned),
            ReplayEvent::Failed(fault) => self.faults.push(fault.clone()),
            ReplayEvent::SessionDone(key) => self.close(key),
        }
    }

    fn planned(&mut self, planned: &PlannedRequest) {
        self.planned += 1;
        let session = self.open.entry(Arc::clone(&planned.variant)).or_insert_with(|| Session {
            cluster: Arc::clone(&planned.cluster),
            numbers: BTreeSet::new(),
            requests: Vec::new(),
            orders: Vec::new(),
        });
        session.numbers.insert(planned.request);
        session.requests.push(planned.score.clone());
        session.orders.extend(planned.order);
    }

    fn close(&mut self, key: &RunKey) {
        let mut numbers = BTreeSet::new();
        for (variant, session) in std::mem::take(&mut self.open) {
            numbers.extend(session.numbers);
            let judged = session.orders.iter().filter(|score| score.reordered.is_some());
            self.orders.extend(judged.map(|score| (Arc::clone(&variant), *score)));
            self.done.push(SessionValues {
                session: key.clone(),
                cluster: session.cluster,
                variant,
                values: session_values(&session.requests, &session.orders),
            });
        }
        self.requests += numbers.len();
    }

    /// Takes what another collected from sessions that come later.
    pub fn append(&mut self, later: ReplayedMetrics) {
        let ReplayedMetrics { open, done, orders, faults, planned, requests } = later;
        self.open.extend(open);
        self.done.extend(done);
        self.orders.extend(orders);
        self.faults.extend(faults);
        self.planned += planned;
        self.requests += requests;
    }

    /// Faults of the replay, in order.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Distinct requests that were planned, and plans whose repeats agreed.
    pub fn counts(&self) -> (usize, usize) {
        (self.requests, self.planned)
    }

    /// What a second opinion changes, by variant: those that ask for one.
    pub fn orders(&self) -> BTreeMap<String, OrderComparison> {
        let mut orders: BTreeMap<String, OrderComparison> = BTreeMap::new();
        for (variant, score) in &self.orders {
            orders.entry(variant.as_ref().to_owned()).or_default().add(score);
        }
        orders
    }

    /// Values by session and variant, in the order in which sessions were done.
    pub fn into_values(self) -> Vec<SessionValues> {
        self.done
    }
}

pub(super) fn session_values(requests: &[RequestScore], orders: &[OrderScore]) -> Vec<(Metric, f64)> {
    let mean =
        |figure: fn(&RequestScore) -> f64| requests.iter().map(figure).sum::<f64>() / requests.len() as f64;
    let mut values = vec![
        (Metric::GoldRecall, mean(|score| score.gold_recall)),
        (Metric::PackNdcg, mean(|score| score.pack_ndcg)),
        (Metric::IrrelevantTokenRatio, mean(|score| score.irrelevant_ratio)),
        (Metric::ContextQuality, context_quality(requests)),
        (Metric::PlannedTokens, mean(|score| score.tokens as f64)),
        (Metric::EvidenceDebt, mean(|score| score.accounts[0].debt as f64)),
        (Metric::PlanFailures, requests.iter().filter(|score| score.failed).count() as f64),
    ];
    if !orders.is_empty() {
        let sum: f64 = orders.iter().map(|score| score.ordered.ndcg_10).sum();
        values.push((Metric::RetrievalNdcg, sum / orders.len() as f64));
    }
    let reusable: u64 = requests.iter().filter_map(|score| score.reusable_tokens).sum();
    let previous: u64 = requests.iter().filter_map(|score| score.previous_tokens).sum();
    if previous > 0 {
        values.push((Metric::PrefixReuse, reusable as f64 / previous as f64));
    }
    values
}

fn context_quality(requests: &[RequestScore]) -> f64 {
    let mut sum = Measures::default();
    requests.iter().for_each(|score| sum.add(&score.quality));
    if sum.evidence_recall.denominator == 0 { 0.0 } else { quality::score(&sum.rates()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example_of_prefix_reuse() {
        let request = |reusable, previous| RequestScore {
            reusable_tokens: reusable,
            previous_tokens: previous,
            ..RequestScore::default()
        };
        let requests = [request(None, None), request(Some(900), Some(1_000)), request(Some(0), Some(1_400))];
        let values = session_values(&requests, &[]);
        let reuse = values.iter().find(|(metric, _)| *metric == Metric::PrefixReuse).unwrap().1;
        assert_eq!(reuse, 900.0 / 2_400.0);
        assert!(
            !session_values(&requests[..1], &[]).iter().any(|(metric, _)| *metric == Metric::PrefixReuse)
        );
    }
}
