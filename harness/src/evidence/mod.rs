//! Evidence attribution: what was needed at a request, and whether a plan holds it.
//!
//! Three sources of need, by decreasing strength, each kept apart:
//!
//! 1. *labels*: the gold files of the scenario, needed until the run ends;
//! 2. *edited later*: files that the run changes at this request or later in the same turn of the person, and that it
//!    didn't create;
//! 3. *read later*: files that the run shows at this request or later in the same turn, and that a later edit changes or a
//!    later reply names.
//!
//! *Credit* is what is needed and in the plan; *debt* what is needed, was held by the recorded context, and isn't in the
//! plan, whether or not the log shows that it was read again.

mod holdings;
mod need;

pub use holdings::Holdings;
pub use need::{Account, Needs, RequestNeeds, accounts};
