//! Training of the learned ranking and the proof that it helps.
//!
//! Examples are queries over checked-out repositories: the engine itself ranks the files and computes their features, the
//! files that the commit behind the query changed are relevant. A LambdaMART model is boosted on them and judged on
//! repositories, or on times, that it hasn't seen. Everything is exact: features are bytes, gradients are summed as
//! integers, rows are sorted first, so that neither threads nor the order of input change a bit of the model.

mod boost;
mod cross;
mod dataset;
mod example;
mod lambda;
mod rows;
mod source;
mod tree;

pub use boost::{Parameters, train};
pub use cross::{CrossValidation, Fold, Held, Slice, Split, cross_validate};
pub use dataset::{Dataset, Group};
pub use example::{Entry, Example, Form, examples};
pub use rows::{read_rows, write_rows};
pub use source::{Checkout, checkouts};
