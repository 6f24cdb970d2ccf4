//! All values in one frame: a row a value, totally ordered, the same bytes whatever computed it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use polars::prelude::{Column, DataFrame};
use polars_io::prelude::{ParquetCompression, ParquetWriter, StatisticsOptions};
use verdict::Unit;

use super::{Metric, Plane};
use crate::failure::Failure;

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

impl MetricRow {
    fn order(&self) -> (&str, &str, Plane, &str, &str, u32, Metric) {
        (
            &self.corpus,
            &self.feature,
            self.metric.plane(),
            &self.scenario,
            &self.variant,
            self.repetition,
            self.metric,
        )
    }
}

/// The values, sorted by corpus, feature, plane, scenario, variant, repetition and metric.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricFrame {
    rows: Vec<MetricRow>,
}

impl MetricFrame {
    /// Orders the rows.
    pub fn new(mut rows: Vec<MetricRow>) -> MetricFrame {
        rows.sort_by(|a, b| a.order().cmp(&b.order()).then(a.value.total_cmp(&b.value)));
        MetricFrame { rows }
    }

    /// The rows in order.
    pub fn rows(&self) -> &[MetricRow] {
        &self.rows
    }

    /// Joins two frames.
    pub fn join(self, other: MetricFrame) -> MetricFrame {
        MetricFrame::new(self.rows.into_iter().chain(other.rows).collect())
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
        let mut units: BTreeMap<&str, Unit> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.feature == feature && row.metric == metric) {
            if row.variant != baseline && row.variant != candidate {
                continue;
            }
            let unit = units.entry(&row.scenario).or_insert_with(|| Unit {
                scenario: row.scenario.clone(),
                cluster: row.cluster.clone(),
                baseline: vec![None; repetitions as usize],
                candidate: vec![None; repetitions as usize],
            });
            let arm = if row.variant == baseline { &mut unit.baseline } else { &mut unit.candidate };
            if let Some(run) = arm.get_mut(row.repetition as usize) {
                *run = Some(row.value);
            }
        }
        units.into_values().collect()
    }

    /// The frame for polars: one row a value, columns as the fields of [`MetricRow`] with the plane and unit beside.
    ///
    /// # Errors
    /// Never on these columns of equal length; a failure is internal.
    pub fn to_polars(&self) -> Result<DataFrame, Failure> {
        let text = |name: &str, value: fn(&MetricRow) -> &str| {
            Column::new(name.into(), self.rows.iter().map(value).collect::<Vec<&str>>())
        };
        let repetitions: Vec<u32> = self.rows.iter().map(|row| row.repetition).collect();
        let values: Vec<f64> = self.rows.iter().map(|row| row.value).collect();
        let columns = vec![
            text("corpus", |row| &row.corpus),
            text("feature", |row| &row.feature),
            text("plane", |row| row.metric.plane().name()),
            text("scenario", |row| &row.scenario),
            text("cluster", |row| &row.cluster),
            text("variant", |row| &row.variant),
            Column::new("repetition".into(), repetitions),
            text("metric", |row| row.metric.id()),
            text("unit", |row| row.metric.unit()),
            Column::new("value".into(), values),
        ];
        DataFrame::new(self.rows.len(), columns)
            .map_err(|error| Failure::internal(format!("metric frame: {error}")))
    }

    /// The frame as Parquet: one row group, no time stamps, the same bytes at any thread count.
    ///
    /// # Errors
    /// As [`MetricFrame::to_polars`].
    pub fn to_parquet(&self) -> Result<Vec<u8>, Failure> {
        let mut frame = self.to_polars()?;
        let mut bytes = Vec::new();
        ParquetWriter::new(&mut bytes)
            .with_compression(ParquetCompression::Uncompressed)
            .with_statistics(StatisticsOptions::empty())
            .with_row_group_size(Some(self.rows.len().max(1)))
            .set_parallel(false)
            .finish(&mut frame)
            .map_err(|error| Failure::internal(format!("parquet: {error}")))?;
        Ok(bytes)
    }

    /// Writes the Parquet file by atomic rename.
    ///
    /// # Errors
    /// [`Failure`] of kind `Io` where the folder can't be written.
    pub fn write_parquet(&self, path: &Path) -> Result<(), Failure> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let staged = tempfile::NamedTempFile::new_in(folder).map_err(|error| Failure::io(folder, &error))?;
        fs::write(staged.path(), self.to_parquet()?).map_err(|error| Failure::io(staged.path(), &error))?;
        staged.persist(path).map_err(|error| Failure::io(path, &error.error))?;
        Ok(())
    }
}
