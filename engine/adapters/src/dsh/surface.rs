//! The surface: the list of events that the model sees, in its order.

use engine::message::Json;

use super::event::Kind;

/// How an event enters the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    /// At the end.
    Append,
    /// In the place of a range of those on the surface, named by its first and last event.
    Replace {
        /// First event of the range.
        start: u64,
        /// Last event of the range; its number may be the smaller one, for a replacement stands where the range stood.
        end: u64,
    },
}

impl Op {
    /// What an event says; `None` where it says nothing of that form.
    pub(super) fn of(event: &Json<'_>) -> Option<Op> {
        let op = event.get("surfaceOp")?;
        if op.as_str() == Some("append") {
            return Some(Op::Append);
        }
        let members = op.as_object()?;
        let exact = members.len() == 3 && op.str_at("op") == Some("replace");
        let (start, end) = (op.get("start")?.as_count()?, op.get("end")?.as_count()?);
        exact.then_some(Op::Replace { start, end })
    }
}

/// An event on the surface.
#[derive(Debug, Clone, Copy)]
struct Node {
    seq: u64,
    kind: Kind,
}

/// The events on the surface, folded in the order of the log.
#[derive(Debug, Default)]
pub(super) struct Surface {
    nodes: Vec<Node>,
}

impl Surface {
    /// Takes an event. Returns the numbers of the events it shadows.
    ///
    /// # Errors
    /// Why the harness refuses the event; the surface is unchanged.
    pub(super) fn take(&mut self, seq: u64, kind: Kind, op: Op) -> Result<Vec<u64>, &'static str> {
        let node = Node { seq, kind };
        let Op::Replace { start, end } = op else {
            self.nodes.push(node);
            return Ok(Vec::new());
        };
        let place = |wanted: u64| self.nodes.iter().position(|node| node.seq == wanted);
        // Positions decide: after a replacement the list isn't in the order of numbers.
        let first = place(start).ok_or("a replacement whose first event isn't on the surface")?;
        let last = place(end).ok_or("a replacement whose last event isn't on the surface")?;
        if first > last {
            return Err("a replacement whose first event stands behind its last");
        }
        let range = &self.nodes[first..=last];
        if kind == Kind::Result && !matches!(range, [Node { kind: Kind::Result, .. }]) {
            return Err("a tool result that replaces something other than one tool result");
        }
        let shadowed = range.iter().map(|node| node.seq).collect();
        self.nodes.splice(first..=last, [node]);
        Ok(shadowed)
    }
}

/// Checks the numbers of the events that an event goes back to.
///
/// # Errors
/// Why the harness refuses them.
pub(super) fn check_sources(
    event: &Json<'_>,
    (seq, kind): (u64, Kind),
    shadowed: &[u64],
) -> Result<(), &'static str> {
    let Some(sources) = event.get("sourceEventSeqs") else {
        return match shadowed {
            [] => Ok(()),
            _ => Err("a replacement that doesn't name the events it shadows"),
        };
    };
    let numbers: Option<Vec<u64>> =
        sources.as_array().and_then(|sources| sources.iter().map(Json::as_count).collect());
    let Some(mut numbers) = numbers else { return Err("source events that aren't numbers") };
    if numbers.is_empty() && kind != Kind::Assistant {
        return Err("an empty list of source events where the harness allows none");
    }
    if numbers.iter().any(|source| *source >= seq) {
        return Err("a source event that doesn't stand before the event");
    }
    numbers.sort_unstable();
    if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("a source event named twice");
    }
    match shadowed.iter().all(|shadowed| numbers.binary_search(shadowed).is_ok()) {
        true => Ok(()),
        false => Err("a replacement that doesn't name the events it shadows"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_found_by_position_not_by_number() {
        let mut surface = Surface::default();
        for seq in [2, 8, 12, 18] {
            surface.take(seq, Kind::User, Op::Append).unwrap();
        }
        assert_eq!(surface.take(37, Kind::User, Op::Replace { start: 2, end: 8 }), Ok(vec![2, 8]));
        assert_eq!(surface.take(53, Kind::User, Op::Replace { start: 37, end: 12 }), Ok(vec![37, 12]));
        let seqs: Vec<u64> = surface.nodes.iter().map(|node| node.seq).collect();
        assert_eq!(seqs, [53, 18]);
    }

    #[test]
    fn three_ways_to_name_no_range_are_told_apart_and_change_nothing() {
        let mut surface = Surface::default();
        for seq in [1, 2] {
            surface.take(seq, Kind::User, Op::Append).unwrap();
        }
        let mut error = |start, end| surface.take(9, Kind::User, Op::Replace { start, end }).unwrap_err();
        let errors = [error(7, 2), error(1, 7), error(2, 1)];
        assert_eq!(std::collections::BTreeSet::from(errors).len(), 3);
        assert_eq!(surface.nodes.len(), 2);
    }
}
