//! All values in one frame: a row a value, totally ordered, the same bytes whatever computed it.
//!
//! A large campaign has millions of values and few names, so the values of a run lie together and share the run's names.

use std::io::Write;
use std::sync::Arc;

use polars::prelude::{Column, DataFrame};
use polars_io::prelude::{ParquetCompression, ParquetWriter, StatisticsOptions};
use rayon::prelude::*;
use verdict::Unit;

use super::{Metric, Plane};
use crate::failure::Failure;

/// Values of a row group in Parquet: a reader's memory and ours are bounded by it.
const ROW_GROUP: usize = 1 << 16;

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricRow {
    /// Corpus.
    pub corpus: String,
    /// Feature that the campaign was recorded for.
    pub feature: String,
    /// Scenario: the unit of every comparison.
    pub scenario: String,
    /// Repository of the scenario: units of a cluster aren't independent.
    pub cluster: String,
    /// Variant.
    pub variant: String,
    /// Repetition; of the replayed session in the replayed plane.
    pub repetition: u32,
    /// Metric; it names the plane.
    pub metric: Metric,
    /// Value in the metric's unit.
    pub value: f64,
}

/// Values of one plane of one run, fields as in [`MetricRow`].
#[derive(Debug, Clone, PartialEq)]
pub struct RunValues {
    /// Corpus.
    pub corpus: Arc<str>,
    /// Feature that the campaign was recorded for.
    pub feature: Arc<str>,
    /// Scenario.
    pub scenario: Arc<str>,
    /// Repository of the scenario.
    pub cluster: Arc<str>,
    /// Variant.
    pub variant: Arc<str>,
    /// Repetition.
    pub repetition: u32,
    /// The plane that the values are of.
    pub plane: Plane,
    /// The values.
    pub values: Vec<(Metric, f64)>,
}

impl RunValues {
    fn order(&self) -> (&str, &str, Plane, &str, &str, u32) {
        (&self.corpus, &self.feature, self.plane, &self.scenario, &self.variant, self.repetition)
    }

    fn row(&self, (metric, value): (Metric, f64)) -> MetricRow {
        MetricRow {
            corpus: self.corpus.as_ref().to_owned(),
            feature: self.feature.as_ref().to_owned(),
            scenario: self.scenario.as_ref().to_owned(),
            cluster: self.cluster.as_ref().to_owned(),
            variant: self.variant.as_ref().to_owned(),
            repetition: self.repetition,
            metric,
            value,
        }
    }
}

/// The values, sorted by corpus, feature, plane, scenario, variant, repetition and metric.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricFrame {
    runs: Vec<RunValues>,
}

impl MetricFrame {
    /// Orders single values.
    pub fn new(rows: Vec<MetricRow>) -> MetricFrame {
        let run = |row: MetricRow| RunValues {
            corpus: row.corpus.into(),
            feature: row.feature.into(),
            scenario: row.scenario.into(),
            cluster: row.cluster.into(),
            variant: row.variant.into(),
            repetition: row.repetition,
            plane: row.metric.plane(),
            values: vec![(row.metric, row.value)],
        };
        MetricFrame::of(rows.into_iter().map(run).collect())
    }

    /// Orders the values of runs; two of one run and plane become one.
    pub fn of(mut runs: Vec<RunValues>) -> MetricFrame {
        runs.par_sort_by(|a, b| a.order().cmp(&b.order()));
        runs.dedup_by(|later, first| {
            let same = later.order() == first.order();
            if same {
                first.values.append(&mut later.values);
            }
            same
        });
        runs.par_iter_mut().for_each(|run| {
            run.values
                .sort_by(|(metric, value), (other, than)| metric.cmp(other).then(value.total_cmp(than)));
        });
        runs.shrink_to_fit();
        MetricFrame { runs }
    }

    /// The runs in order.
    pub fn runs(&self) -> &[RunValues] {
        &self.runs
    }

    /// The values in order, each with its names.
    pub fn rows(&self) -> impl Iterator<Item = MetricRow> + '_ {
        self.runs.iter().flat_map(|run| run.values.iter().map(|value| run.row(*value)))
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.runs.iter().map(|run| run.values.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Joins two frames.
    pub fn join(mut self, mut other: MetricFrame) -> MetricFrame {
        self.runs.append(&mut other.runs);
        MetricFrame::of(self.runs)
    }

    /// Paired units of a feature's metric: a unit a scenario, sorted; `repetitions` scheduled runs an arm, `None` for a
    /// run without a value. Scenarios without any value in both arms are left to the caller's `scenarios`.
    pub fn units(
        &self,
        feature: &str,
        metric: Metric,
        baseline: &str,
        candidate: &str,
        repetitions: u32,
    ) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        let wanted = planes(&self.runs)
            .filter(|runs| runs[0].plane == metric.plane() && *runs[0].feature == *feature)
            .flatten()
            .filter(|run| *run.variant == *baseline || *run.variant == *candidate);
        for run in wanted {
            // Values are in the order of metrics.
            let first = run.values.partition_point(|(of, _)| *of < metric);
            for (_, value) in run.values[first..].iter().take_while(|(of, _)| *of == metric) {
                // The runs of a scenario follow one another within a corpus; another may hold it again.
                let at = match units.last() {
                    Some(last) if *last.scenario == *run.scenario => units.len() - 1,
                    Some(last) if *last.scenario > *run.scenario => {
                        units.partition_point(|unit| *unit.scenario < *run.scenario)
                    }
                    _ => units.len(),
                };
                if units.get(at).is_none_or(|unit| *unit.scenario != *run.scenario) {
                    let unit = Unit {
                        scenario: run.scenario.as_ref().to_owned(),
                        cluster: run.cluster.as_ref().to_owned(),
                        baseline: vec![None; repetitions as usize],
                        candidate: vec![None; repetitions as usize],
                    };
                    units.insert(at, unit);
                }
                let unit = &mut units[at];
                let arm = if *run.variant == *baseline { &mut unit.baseline } else { &mut unit.candidate };
                if let Some(run) = arm.get_mut(run.repetition as usize) {
                    *run = Some(*value);
                }
            }
        }
        units
    }

    /// The frame as Parquet, one row a value: no time stamps, the same bytes at any thread count.
    ///
    /// # Errors
    /// Never on columns of equal length; a failure is internal.
    pub fn to_parquet(&self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        self.write_parquet(&mut bytes)?;
        Ok(bytes)
    }

    /// [`MetricFrame::to_parquet`] to a file under construction. Row groups are encoded on the current rayon pool.
    ///
    /// # Errors
    /// The columns are of unequal length or can't be written: internal.
    pub fn write_parquet(&self, to: impl Write + Send) -> Result<(), Failure> {
        let failed = |error| Failure::internal(format!("parquet: {error}"));
        let schema = to_polars(&[])?;
        let writer = ParquetWriter::new(to)
            .with_compression(ParquetCompression::Uncompressed)
            .with_statistics(StatisticsOptions::empty())
            .with_row_group_size(Some(ROW_GROUP))
            .set_parallel(false)
            .batched(schema.schema())
            .map_err(failed)?;
        for some in groups(&self.runs).chunks(2 * rayon::current_num_threads()) {
            let encode = |group: &&[RunValues]| -> Result<Vec<_>, Failure> {
                let frame = to_polars(group)?;
                writer.encode_and_compress(&frame).collect::<Result<_, _>>().map_err(failed)
            };
            let encoded: Vec<Vec<_>> = some.par_iter().map(encode).collect::<Result<_, _>>()?;
            writer.write_row_groups(encoded.into_iter().flatten().collect()).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        Ok(())
    }
}

/// Runs in order, those of one corpus, feature and plane together.
fn planes(mut runs: &[RunValues]) -> impl Iterator<Item = &[RunValues]> {
    std::iter::from_fn(move || {
        let key = |run: &RunValues| (Arc::clone(&run.corpus), Arc::clone(&run.feature), run.plane);
        let of = key(runs.first()?);
        let (these, others) = runs.split_at(runs.partition_point(|run| key(run) <= of));
        runs = others;
        Some(these)
    })
}

/// Runs that make up a row group each, as many as fit; one row group of nothing.
fn groups(runs: &[RunValues]) -> Vec<&[RunValues]> {
    let mut groups = Vec::new();
    let (mut start, mut rows) = (0, 0);
    for (at, run) in runs.iter().enumerate() {
        if rows + run.values.len() > ROW_GROUP && rows > 0 {
            groups.push(&runs[start..at]);
            (start, rows) = (at, 0);
        }
        rows += run.values.len();
    }
    groups.push(&runs[start..]);
    groups
}

/// One row a value, columns as the fields of [`MetricRow`] with the plane and the unit beside.
fn to_polars(runs: &[RunValues]) -> Result<DataFrame, Failure> {
    fn each<'r, T: 'r>(
        runs: &'r [RunValues],
        of: impl Fn(&'r RunValues, Metric, f64) -> T + Copy + 'r,
    ) -> Vec<T> {
        let values =
            |run: &'r RunValues| run.values.iter().map(move |(metric, value)| of(run, *metric, *value));
        runs.iter().flat_map(values).collect()
    }
    /// A column of text: name, and what a row says.
    type Text = (&'static str, fn(&RunValues, Metric) -> &str);
    let texts: [Text; 8] = [
        ("corpus", |run, _| &run.corpus),
        ("feature", |run, _| &run.feature),
        ("plane", |run, _| run.plane.name()),
        ("scenario", |run, _| &run.scenario),
        ("cluster", |run, _| &run.cluster),
        ("variant", |run, _| &run.variant),
        ("metric", |_, metric| metric.id()),
        ("unit", |_, metric| metric.unit()),
    ];
    let text = |(name, of): Text| Column::new(name.into(), each(runs, move |run, metric, _| of(run, metric)));
    let mut columns: Vec<Column> = texts.into_par_iter().map(text).collect();
    columns.insert(6, Column::new("repetition".into(), each(runs, |run, _, _| run.repetition)));
    columns.push(Column::new("value".into(), each(runs, |_, _, value| value)));
    let height = runs.iter().map(|run| run.values.len()).sum();
    DataFrame::new(height, columns).map_err(|error| Failure::internal(format!("metric frame: {error}")))
}
