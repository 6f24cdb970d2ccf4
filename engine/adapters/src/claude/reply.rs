//! Replies over their lines: Claude Code writes one line a content block and repeats the billed tokens on each.

use std::collections::{HashMap, HashSet};

use engine::message::{Json, StopReason, Usage};

use crate::log::dialect::Report;
use crate::log::member::tokens;
use crate::log::suspect::damaged_name;
use crate::log::{FaultCode, Purpose, Request};

/// Figures of a request.
const USAGE_NAMES: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "cache_creation",
    "output_tokens_details",
];

/// Parts of what was written to a cache.
const LIFETIME_NAMES: [&str; 2] = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"];

/// One reply: one provider request.
#[derive(Debug)]
pub(super) struct Reply {
    /// What identifies it in every copy of the history.
    key: String,
    request: Option<String>,
    /// Line of its first piece.
    line: u64,
    pub(super) model: String,
    /// Each count the largest that any of its lines tells.
    pub(super) usage: Option<Usage>,
    /// The last reason told: lines written while it streams have none.
    pub(super) stop: Option<StopReason>,
    contradicts: bool,
    agent_reads: bool,
}

/// One line of a reply, as far as counting goes.
pub(super) struct Piece<'p> {
    /// Provider's identifier of the reply.
    pub(super) id: Option<&'p str>,
    /// Provider's identifier of the request.
    pub(super) request: Option<&'p str>,
    /// Name of the line, for replies without an identifier.
    pub(super) line_name: &'p str,
    pub(super) line: u64,
    pub(super) model: &'p str,
    /// The message; its billed tokens among its members.
    pub(super) message: &'p Json<'p>,
    pub(super) stop: Option<StopReason>,
    pub(super) agent_reads: bool,
}

/// Every reply of a log, by the line it begins on.
#[derive(Debug, Default)]
pub(super) struct Replies {
    list: Vec<Reply>,
    /// The first reply of each identifier.
    by_id: HashMap<String, u32>,
    /// The reply of each identifier under each request.
    by_pair: HashMap<(String, String), u32>,
    requests: HashSet<String>,
}

impl Replies {
    /// The reply that a number stands for.
    pub(super) fn get(&self, number: u32) -> Option<&Reply> {
        self.list.get(number as usize)
    }

    /// Adds a line to its reply and gives the reply's number.
    pub(super) fn take(&mut self, piece: &Piece<'_>, report: &mut Report) -> u32 {
        let number = self.find(piece, report);
        let reply = &mut self.list[number as usize];
        reply.agent_reads |= piece.agent_reads;
        if reply.request.is_none() {
            reply.request = piece.request.map(str::to_owned);
        }
        if reply.model.is_empty() {
            reply.model = piece.model.to_owned();
        }
        if piece.stop.is_some() {
            reply.stop.clone_from(&piece.stop);
        }
        if let Some(usage) = billed(piece.message, piece.line, report) {
            reply.bill(usage, piece.line, report);
        }
        number
    }

    /// Lines without a request identifier go with the first reply of the same message identifier, and the first request
    /// told is that of the lines before it.
    fn find(&mut self, piece: &Piece<'_>, report: &mut Report) -> u32 {
        let Some(id) = piece.id else {
            return self.begin(format!("line:{}", piece.line_name), piece);
        };
        let first = self.by_id.get(id).copied();
        let Some(request) = piece.request else {
            return first.unwrap_or_else(|| self.begin_named(id, id.to_owned(), piece));
        };
        let pair = (id.to_owned(), request.to_owned());
        if let Some(number) = self.by_pair.get(&pair) {
            return *number;
        }
        let unclaimed = first.filter(|first| self.list[*first as usize].request.is_none());
        let number = unclaimed.unwrap_or_else(|| {
            let message = match first {
                Some(_) => Some("one reply under two request identifiers: counted as two requests"),
                None if self.requests.contains(request) => {
                    Some("one request with two replies: counted as two requests")
                }
                None => None,
            };
            if let Some(message) = message {
                report.warn(piece.line, FaultCode::UsageMismatch, message);
            }
            self.begin_named(id, format!("{id}:{request}"), piece)
        });
        self.by_pair.insert(pair, number);
        self.requests.insert(request.to_owned());
        number
    }

    fn begin_named(&mut self, id: &str, key: String, piece: &Piece<'_>) -> u32 {
        let number = self.begin(key, piece);
        self.by_id.entry(id.to_owned()).or_insert(number);
        number
    }

    fn begin(&mut self, key: String, piece: &Piece<'_>) -> u32 {
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(Reply {
            key,
            request: piece.request.map(str::to_owned),
            line: piece.line,
            model: piece.model.to_owned(),
            usage: None,
            stop: None,
            contradicts: false,
            agent_reads: false,
        });
        number
    }

    /// One request a reply.
    pub(super) fn requests(&self) -> Vec<Request> {
        let request = |reply: &Reply| Request {
            purpose: Purpose::Reply,
            line: reply.line,
            key: Some(reply.key.clone()),
            model: reply.model.clone(),
            usage: reply.usage,
            salvaged_only: !reply.agent_reads,
            inherited: false,
        };
        self.list.iter().map(request).collect()
    }
}

impl Reply {
    fn bill(&mut self, usage: Usage, line: u64, report: &mut Report) {
        let Some(before) = self.usage else {
            self.usage = Some(usage);
            return;
        };
        report.repeat("billed tokens told again by a further line of a reply");
        let prompt = |usage: &Usage| (usage.input, usage.cache_read, usage.cache_write, usage.cache_write_1h);
        if prompt(&before) != prompt(&usage) && !self.contradicts {
            self.contradicts = true;
            let message = "prompt tokens differ between lines of one reply: the largest counts";
            report.warn(line, FaultCode::UsageMismatch, message);
        }
        self.usage = Some(before.max(usage));
    }
}

/// Billed tokens of one line; `None` where it tells none, or none that can be.
fn billed(message: &Json<'_>, line: u64, report: &mut Report) -> Option<Usage> {
    if damaged_name(message, &["id", "model", "usage"]).is_some() {
        let message = "the name of a member that counting rests on is damaged: tokens may be missing";
        report.warn(line, FaultCode::BadUsage, message);
    }
    let usage = message.get("usage");
    let usage = usage.filter(|usage| usage.as_object().is_some_and(|members| !members.is_empty()))?;
    let lacks = |name: &str| matches!(usage.get(name), None | Some(Json::Null));
    let mut bad = lacks("input_tokens") || lacks("output_tokens");
    let mut count = |holder: Option<&Json<'_>>, name: &str| {
        holder.map_or(Some(0), |holder| tokens(holder, name)).unwrap_or_else(|| {
            bad = true;
            0
        })
    };
    let lifetimes = usage.get("cache_creation").filter(|split| split.as_object().is_some());
    let short = count(lifetimes, "ephemeral_5m_input_tokens");
    let read = Usage {
        input: count(Some(usage), "input_tokens"),
        output: count(Some(usage), "output_tokens"),
        cache_read: count(Some(usage), "cache_read_input_tokens"),
        cache_write: count(Some(usage), "cache_creation_input_tokens"),
        cache_write_1h: count(lifetimes, "ephemeral_1h_input_tokens"),
        reasoning: count(usage.get("output_tokens_details"), "thinking_tokens"),
        cost: None,
    };
    bad |= damaged_name(usage, &USAGE_NAMES).is_some();
    bad |= lifetimes.is_some_and(|lifetimes| damaged_name(lifetimes, &LIFETIME_NAMES).is_some());
    bad |= read.reasoning > read.output || read.cache_write_1h > read.cache_write;
    if bad {
        report.warn(line, FaultCode::BadUsage, "impossible billed tokens: treated as unknown");
        return None;
    }
    if lifetimes.is_some() && short + read.cache_write_1h != read.cache_write {
        let message = "cache writes aren't the sum of their lifetimes: the total counts";
        report.warn(line, FaultCode::UsageMismatch, message);
    }
    Some(read)
}
