//! What a context engine decides for one request: the plan, and why each item is in or out.

mod decision;

pub use decision::{
    Budget, Decision, ItemSource, ModelProfile, Placement, Plan, PlanMode, PlanRequest, Reason, Supplement,
};
