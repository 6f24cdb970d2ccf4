//! What an export couldn't say: a closed list of codes.

use std::collections::BTreeMap;

/// Declares the codes once: the variant, the name that reports spell, and what it means.
macro_rules! loss_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal,)+) => {
        /// What kind of thing is lost. The codes are stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LossCode {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl LossCode {
            /// Every code.
            pub const ALL: &[LossCode] = &[$(LossCode::$variant,)+];

            /// The code as reports spell it.
            pub fn code(self) -> &'static str {
                match self {
                    $(LossCode::$variant => $code,)+
                }
            }
        }
    };
}

impl LossCode {
    /// Whether the text of a message, or where it stands, may differ after such a loss. The others name facts beside the
    /// messages.
    pub fn changes_messages(self) -> bool {
        matches!(
            self,
            LossCode::KeptRange
                | LossCode::Image
                | LossCode::Block
                | LossCode::Arguments
                | LossCode::ToolDeclaration
                | LossCode::CompactionText
                | LossCode::ReplacementMoved
                | LossCode::Edit
                | LossCode::ReplyPiece
                | LossCode::Cycle
        )
    }
}

loss_codes! {
    /// Something that the reader of the log already left out.
    Reader = "reader",
    /// A member of a Pi entry that the model doesn't hold.
    Member = "member",
    /// The log's bytes aren't at hand: members outside of the model weren't looked for.
    SourceAbsent = "source_absent",
    /// An image whose bytes couldn't be read again: a note stands in its place.
    Image = "image",
    /// A block that a message of its role can't hold: left out.
    Block = "block",
    /// Arguments of a call that are no JSON object: wrapped into one.
    Arguments = "arguments",
    /// A tool's declaration that isn't the JSON that Pi writes: its text changes.
    ToolDeclaration = "tool_declaration",
    /// A compaction in other words than Pi's, in a place where it can't be said as messages: Pi puts words around it.
    CompactionText = "compaction_text",
    /// A compaction that keeps the end of a reply without its beginning: the whole reply is kept, or none of it.
    KeptRange = "kept_range",
    /// A compaction said as messages that follow it: its text stays, its kind doesn't.
    CompactionUnfolded = "compaction_unfolded",
    /// A branch's summary in other words than Pi's, said as an injected message.
    BranchSummaryText = "branch_summary_text",
    /// A shell command of the person in other words than Pi's, said as an injected message.
    ShellText = "shell_text",
    /// A range of messages replaced in place, said as edits.
    ReplacementAsEdits = "replacement_as_edits",
    /// A replacement that Pi can only say behind the messages that it replaces, not in their place.
    ReplacementMoved = "replacement_moved",
    /// An edit of something that Pi's edits don't change.
    Edit = "edit",
    /// A piece of a reply whose beginning isn't on its branch: a reply of its own.
    ReplyPiece = "reply_piece",
    /// A message of a role that Pi doesn't know: kept as its name, without content.
    ForeignRole = "foreign_role",
    /// An entry that never reaches the model: its place stays, its content doesn't.
    EntryContent = "entry_content",
    /// Billed tokens that the log doesn't tell: Pi can't do without, so they are zero.
    UnknownUsage = "unknown_usage",
    /// The parts of a reply's costs: the model has the total only.
    CostParts = "cost_parts",
    /// A compaction whose size before isn't told: zero.
    UnknownTokensBefore = "unknown_tokens_before",
    /// A time that the log doesn't tell: the one of the entry before.
    UnknownTime = "unknown_time",
    /// Parents in a ring: Pi would never come to an end, so it is cut.
    Cycle = "cycle",
}

/// One kind of loss.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    /// Its code.
    pub code: LossCode,
    /// What exactly: a name of the format, never content.
    pub what: String,
    /// How often.
    pub count: u64,
}

/// Counts losses.
#[derive(Debug, Default)]
pub(super) struct Losses(BTreeMap<(LossCode, String), u64>);

impl Losses {
    pub(super) fn note(&mut self, code: LossCode, what: impl Into<String>) {
        self.add(code, what, 1);
    }

    pub(super) fn add(&mut self, code: LossCode, what: impl Into<String>, count: u64) {
        *self.0.entry((code, what.into())).or_default() += count;
    }

    /// By code and description.
    pub(super) fn into_list(self) -> Vec<Loss> {
        self.0.into_iter().map(|((code, what), count)| Loss { code, what, count }).collect()
    }
}
