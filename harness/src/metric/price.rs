//! Price packs: what tokens cost, as dated data with a source. A model without a price in force has no cost; nothing is
//! ever priced by guess.

use std::path::Path;

use engine::message::Usage;
use jiff::civil::Date;
use serde::Deserialize;

use crate::declaration::{DeclarationError, expect_schema, read};

const PRICES_SCHEMA: &str = "prices/1";

/// Prices of several models, checked on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct PricePack {
    /// Identifier.
    pub id: String,
    /// Where the figures come from.
    pub source: String,
    /// Day they were checked.
    pub checked_on: Date,
    prices: Vec<Price>,
}

/// Prices of one model for a time, US dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Provider.
    pub provider: String,
    /// Model.
    pub model: String,
    /// First day in force.
    pub effective_from: Date,
    /// Last day in force; open-ended where absent.
    pub effective_to: Option<Date>,
    /// Uncached prompt tokens.
    pub input: f64,
    /// Generated tokens.
    pub output: f64,
    /// Prompt tokens read from a cache.
    pub cache_read: f64,
    /// Prompt tokens written for five minutes.
    pub cache_write_5m: f64,
    /// Prompt tokens written for an hour.
    pub cache_write_1h: f64,
    /// Whether recorded bills confirm it. Made-up prices never are.
    pub validated: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PricesFile {
    schema: String,
    id: String,
    source: String,
    checked_on: Date,
    #[serde(default)]
    price: Vec<Price>,
}

impl PricePack {
    /// Reads a pack.
    ///
    /// # Errors
    /// [`DeclarationError`]: unreadable, an unknown key, or a price that isn't a number from 0.
    pub fn load(path: &Path) -> Result<PricePack, DeclarationError> {
        let invalid = |message: String| DeclarationError::invalid(path, message);
        let file: PricesFile = read(path)?;
        expect_schema(&file.schema, PRICES_SCHEMA).map_err(invalid)?;
        for price in &file.price {
            let rates =
                [price.input, price.output, price.cache_read, price.cache_write_5m, price.cache_write_1h];
            if rates.iter().any(|rate| !rate.is_finite() || *rate < 0.0) {
                return Err(invalid(format!(
                    "price of {}/{}: not a number from 0",
                    price.provider, price.model
                )));
            }
        }
        let PricesFile { id, source, checked_on, price: prices, .. } = file;
        Ok(PricePack { id, source, checked_on, prices })
    }

    /// The price of a model on a day; the later start wins where two are in force.
    pub fn price(&self, provider: &str, model: &str, on: Date) -> Option<&Price> {
        let in_force = |price: &&Price| {
            price.provider == provider
                && price.model == model
                && price.effective_from <= on
                && price.effective_to.is_none_or(|last| on <= last)
        };
        self.prices.iter().filter(in_force).max_by_key(|price| price.effective_from)
    }
}

impl Price {
    /// Cost of billed tokens, US dollars. Worked example: at 3 / 15 / 0.3 / 3.75 dollars, 1,000 uncached, 100 output,
    /// 10,000 read and 2,000 written tokens cost 0.003 + 0.0015 + 0.003 + 0.0075 = 0.015.
    pub fn cost(&self, usage: &Usage) -> f64 {
        let short = usage.cache_write.saturating_sub(usage.cache_write_1h);
        let parts = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (short, self.cache_write_5m),
            (usage.cache_write_1h, self.cache_write_1h),
        ];
        parts.iter().map(|(tokens, rate)| *tokens as f64 * rate).sum::<f64>() / 1e6
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn pack() -> PricePack {
        let price = |from, to, input| Price {
            provider: "p".to_owned(),
            model: "m".to_owned(),
            effective_from: from,
            effective_to: to,
            input,
            output: 15.0,
            cache_read: 0.3,
            cache_write_5m: 3.75,
            cache_write_1h: 6.0,
            validated: false,
        };
        let prices = vec![
            price(date(2026, 1, 1), Some(date(2026, 6, 30)), 5.0),
            price(date(2026, 7, 1), Some(date(2026, 12, 31)), 3.0),
        ];
        let (id, source) = ("t".to_owned(), "made up".to_owned());
        PricePack { id, source, checked_on: date(2026, 11, 30), prices }
    }

    #[test]
    fn worked_example() {
        let pack = pack();
        let price = pack.price("p", "m", date(2026, 11, 30)).unwrap();
        let usage =
            Usage { input: 1_000, output: 100, cache_read: 10_000, cache_write: 2_000, ..Usage::default() };
        assert!((price.cost(&usage) - 0.015).abs() < 1e-12);
    }

    #[test]
    fn a_model_without_a_price_in_force_has_none() {
        let pack = pack();
        assert_eq!(pack.price("p", "m", date(2026, 6, 30)).map(|price| price.input), Some(5.0));
        assert_eq!(pack.price("p", "m", date(2027, 1, 1)), None);
        assert_eq!(pack.price("p", "other", date(2026, 11, 30)), None);
    }
}
