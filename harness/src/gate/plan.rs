//! The plan of looks: which part of the error level the present look may spend.

use verdict::{Fault, Spending};

use super::evidence::Evidence;
use super::judge::Rigour;
use super::policy::Section;

/// Planned looks of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookPlan {
    /// Scheduled scenarios at each look, ascending; the last look is the whole campaign.
    pub scenarios: Vec<usize>,
    /// How the level is spent.
    pub spending: Spending,
}

/// The look that is being taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PresentLook {
    /// Looks taken so far, this one among them.
    pub taken: usize,
    /// Looks planned.
    pub planned: usize,
    /// Number of this look by the plan, from 1; none where the evidence is at no planned look.
    pub number: Option<usize>,
    /// The level that this look may spend, one-sided.
    pub alpha: f64,
}

/// Which look this is, and what stands against it.
pub(super) fn present_look(
    section: &Section,
    evidence: &Evidence<'_>,
    rigour: Rigour,
) -> (PresentLook, Option<Fault>) {
    let taken = evidence.corpora.iter().map(|corpus| corpus.looks).sum();
    let single = PresentLook { taken, planned: 1, number: Some(1), alpha: section.alpha };
    let Some(plan) = &section.looks else {
        let message = (taken > 1 || evidence.corpora.len() > 1).then(|| {
            format!(
                "{taken} looks at {} corpora: the campaign was extended without a plan of looks",
                evidence.corpora.len()
            )
        });
        return (single, message.map(|message| unplanned(message, rigour)));
    };
    let scheduled = evidence.scenarios();
    let at = plan.scenarios.iter().position(|&scenarios| scenarios == scheduled);
    let level = at.and_then(|look| plan.spending.level(section.alpha, &plan.scenarios, look));
    let planned = plan.scenarios.len();
    // Where the evidence is at no planned look, the smallest level of the plan keeps figures on the safe side.
    let smallest = (0..planned).filter_map(|look| plan.spending.level(section.alpha, &plan.scenarios, look));
    let alpha = level.unwrap_or_else(|| smallest.fold(section.alpha, f64::min));
    let number = at.map(|look| look + 1);
    let present = PresentLook { taken, planned, number, alpha };
    let message = match number {
        None => Some(format!("{scheduled} scheduled scenarios: the plan looks at {:?}", plan.scenarios)),
        Some(number) if taken > number => Some(format!(
            "{taken} looks were taken, the plan allows {number} up to here: a look over the plan"
        )),
        Some(_) => None,
    };
    (present, message.map(|message| unplanned(message, rigour)))
}

fn unplanned(message: String, rigour: Rigour) -> Fault {
    if rigour.preregistered {
        Fault::invalid("not-preregistered", message)
    } else {
        Fault::insufficient("not-preregistered", message)
    }
}
