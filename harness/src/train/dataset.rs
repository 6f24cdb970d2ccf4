//! Rows as the trainer reads them: column by column, in an order that depends on nothing but their content.

use engine::message::sha256_hex;

use super::example::Example;

/// Rows of one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Repository, query and form: what identifies it.
    pub key: (String, String, &'static str),
    /// Its rows in the data set.
    pub rows: std::ops::Range<usize>,
}

/// Examples as columns of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    /// A column a feature.
    pub columns: Vec<Vec<u8>>,
    /// Whether a row is relevant.
    pub gold: Vec<bool>,
    /// Queries, sorted by key; rows sorted by path within each.
    pub groups: Vec<Group>,
    /// SHA-256 over all of it.
    pub sha256: String,
}

impl Dataset {
    /// Rows of every example that can teach something: those with a relevant file and another among the rows. An example
    /// whose text has no area teaches in one form only, since the other is the same.
    pub fn new<'e>(examples: impl IntoIterator<Item = &'e Example>, features: usize) -> Dataset {
        let mut chosen: Vec<&Example> = examples
            .into_iter()
            .filter(|example| example.has_area || example.form == super::Form::Whole)
            .collect();
        chosen.sort_by(|a, b| (&a.repository, &a.query, a.form).cmp(&(&b.repository, &b.query, b.form)));
        let mut data = Dataset {
            columns: vec![Vec::new(); features],
            gold: Vec::new(),
            groups: Vec::new(),
            sha256: String::new(),
        };
        for example in chosen {
            data.push(example);
        }
        let mut bytes = Vec::new();
        for group in &data.groups {
            bytes.extend(format!("{:?} {}\n", group.key, group.rows.len()).into_bytes());
        }
        bytes.extend(data.gold.iter().map(|gold| u8::from(*gold)));
        data.columns.iter().for_each(|column| bytes.extend(column));
        data.sha256 = sha256_hex(&bytes);
        data
    }

    fn push(&mut self, example: &Example) {
        let mut rows: Vec<(&str, &[u8], bool)> = example
            .head
            .iter()
            .filter(|entry| entry.candidate)
            .filter_map(|entry| Some((entry.path.as_str(), entry.row.as_deref()?, entry.gold)))
            .collect();
        let relevant = rows.iter().filter(|(_, _, gold)| *gold).count();
        if relevant == 0 || relevant == rows.len() {
            return;
        }
        rows.sort();
        let first = self.gold.len();
        for (_, row, gold) in rows {
            self.gold.push(gold);
            self.columns.iter_mut().zip(row).for_each(|(column, value)| column.push(*value));
        }
        let key = (example.repository.clone(), example.query.clone(), example.form.name());
        self.groups.push(Group { key, rows: first..self.gold.len() });
    }
}
