//! Order of events: turns, steps and compaction brackets.

use engine::message::Json;

/// A compaction that was begun and not ended.
#[derive(Debug)]
struct Bracket {
    id: String,
    turn: Option<u64>,
    summaries: u32,
}

/// What the harness demands of the order of events.
#[derive(Debug, Default)]
pub(super) struct Order {
    last_turn: u64,
    turn: Option<u64>,
    step: bool,
    bracket: Option<Bracket>,
    /// Range that the event before announced to be replaced.
    claim: Option<(u64, u64)>,
}

impl Order {
    /// Takes an event of the log. `replaces` is the range that it takes the place of.
    ///
    /// # Errors
    /// Why the harness refuses it; the event is taken into account all the same, so that one fault is told once.
    pub(super) fn take(
        &mut self,
        name: &str,
        data: &Json<'_>,
        replaces: Option<(u64, u64)>,
    ) -> Result<(), &'static str> {
        // An announcement holds for the very next event alone.
        let claim = self.claim.take();
        if let (Some(range), Some(claim)) = (replaces, claim)
            && range != claim
        {
            return Err("a replacement of another range than the event before it announced");
        }
        match name {
            "turn/start" => self.turn_start(data),
            "turn/end" => self.turn_end(),
            "step/start" => {
                let (open, in_turn) = (std::mem::replace(&mut self.step, true), self.turn.is_some());
                check(!open, "a step that begins within a step")
                    .and(check(in_turn, "a step outside of a turn"))
            }
            "step/end" => {
                check(std::mem::replace(&mut self.step, false), "the end of a step that didn't begin")
            }
            "compaction/start" => self.compaction_start(data),
            "compaction/summary" => self.summary(data),
            "compaction/end" => self.compaction_end(data),
            "compaction/prune" => self.announce(data),
            // A compaction that the seed left open is stale.
            "session/end-seed" => {
                self.bracket = None;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn turn_start(&mut self, data: &Json<'_>) -> Result<(), &'static str> {
        let nested = self.turn.is_some();
        let number = data.get("turn").and_then(Json::as_count);
        let follows = number == Some(self.last_turn + 1) || (self.last_turn == 0 && number == Some(0));
        self.last_turn = number.filter(|number| *number < u64::MAX).unwrap_or(self.last_turn);
        self.turn = Some(self.last_turn);
        self.step = false;
        check(!nested, "a turn that begins within a turn")
            .and(check(follows, "a turn whose number doesn't follow the one before"))
            .and(check(self.bracket.is_none(), "a turn that begins within a compaction"))
    }

    fn turn_end(&mut self) -> Result<(), &'static str> {
        let (turn, step) = (self.turn.take(), std::mem::replace(&mut self.step, false));
        check(turn.is_some(), "the end of a turn that didn't begin")
            .and(check(!step, "the end of a turn whose step is open"))
            .and(check(self.bracket.is_none(), "the end of a turn within a compaction"))
    }

    fn compaction_start(&mut self, data: &Json<'_>) -> Result<(), &'static str> {
        let turn = data.get("turn").and_then(Json::as_count);
        let id = data.str_at("compactionId").unwrap_or("").to_owned();
        let before = self.bracket.replace(Bracket { id, turn, summaries: 0 });
        check(before.is_none(), "a compaction that begins within a compaction").and(match turn {
            None => check(self.turn.is_none(), "a compaction between turns within a turn"),
            Some(_) => check(turn == self.turn, "a compaction of a turn outside of that turn"),
        })
    }

    fn summary(&mut self, data: &Json<'_>) -> Result<(), &'static str> {
        self.announce(data)?;
        let id = data.str_at("compactionId").unwrap_or("");
        let Some(bracket) = self.bracket.as_mut().filter(|bracket| bracket.id == id) else {
            return Err("a summary outside of its compaction");
        };
        bracket.summaries += 1;
        check(bracket.summaries == 1, "a second summary of one compaction")
    }

    fn compaction_end(&mut self, data: &Json<'_>) -> Result<(), &'static str> {
        let Some(bracket) = self.bracket.take() else {
            return Err("the end of a compaction that didn't begin");
        };
        let failed = data.get("error").is_some_and(|error| *error != Json::Null);
        check(data.str_at("compactionId") == Some(bracket.id.as_str()), "the end of another compaction")
            .and(check(
                data.get("turn").and_then(Json::as_count) == bracket.turn,
                "the end of a compaction in another turn",
            ))
            .and(check(failed || bracket.summaries == 1, "a compaction that succeeded without a summary"))
    }

    /// The next event is to take the place of a range.
    fn announce(&mut self, data: &Json<'_>) -> Result<(), &'static str> {
        let end_of =
            |name: &str| data.get("shadowedRange").and_then(|range| range.get(name)).and_then(Json::as_count);
        let (Some(start), Some(end)) = (end_of("start"), end_of("end")) else {
            return Err("a compaction without the range it shadows");
        };
        let seqs = data.get("shadowedSeqs").and_then(Json::as_array).unwrap_or(&[]);
        let bounds = (seqs.first().and_then(Json::as_count), seqs.last().and_then(Json::as_count));
        self.claim = Some((start, end));
        check(
            bounds == (Some(start), Some(end)),
            "a compaction whose shadowed events aren't those of its range",
        )?;
        let price = data.get("shadowedTokenCount").and_then(Json::as_f64);
        check(
            price.is_some_and(|price| price >= 0.0 && price.fract() == 0.0),
            "a compaction whose count of shadowed tokens is no count",
        )
    }
}

fn check(holds: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(otherwise) }
}
