//! The salvaged reading of a log, held as what sets it apart from the agent's: where a log is damaged at all, most entries
//! are the same in both, and most of the others differ only in what they and their parents are named.

use std::sync::OnceLock;

use engine::session::{Entry, EntryId, SessionTree};

use super::ids::{Id, Ids};

/// The salvaged reading of a log.
#[derive(Debug, Clone)]
pub struct Salvaged(Form);

#[derive(Debug, Clone)]
enum Form {
    /// A tree of its own: the agent reads nothing.
    Whole(SessionTree),
    Difference(Box<Difference>, OnceLock<SessionTree>),
}

/// What a salvaged tree has in place of the agent's entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Difference {
    /// Texts of names.
    pub(crate) ids: Ids,
    /// The entries, in file order.
    pub(crate) items: Vec<Item>,
    /// Entries that have no like among the agent's.
    pub(crate) own: Vec<Entry>,
    /// Where the session stands.
    pub(crate) leaf: Option<EntryId>,
}

/// One entry.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    /// The agent's, up to names.
    Agent {
        /// Its index in the agent's tree.
        of: u32,
        /// Its identifier.
        id: Name,
        /// Its parent's.
        parent: Name,
    },
    /// The next one of [`Difference::own`].
    Own(u32),
}

/// A name in the salvaged tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// As in the agent's tree.
    Same,
    /// None.
    Nothing,
    /// Another one.
    Other(Id),
}

/// Fewer entries than bytes divided by their shortest line.
const FEW: &str = "a log's limit of bytes leaves room for fewer entries";

impl Difference {
    /// Adds an entry that is the agent's up to its names.
    pub(crate) fn push_agent(&mut self, of: usize, id: Name, parent: Name) {
        self.items.push(Item::Agent { of: u32::try_from(of).expect(FEW), id, parent });
    }

    /// Adds an entry of its own.
    pub(crate) fn push_own(&mut self, entry: Entry) {
        self.items.push(Item::Own(u32::try_from(self.own.len()).expect(FEW)));
        self.own.push(entry);
    }

    fn text(&self, id: Id) -> EntryId {
        EntryId(self.ids.text(id).into())
    }

    fn entry(&self, item: Item, agent: &SessionTree) -> Entry {
        match item {
            Item::Own(own) => self.own[own as usize].clone(),
            Item::Agent { of, id, parent } => {
                let mut entry = agent.entries[of as usize].clone();
                if let Name::Other(id) = id {
                    entry.id = self.text(id);
                }
                match parent {
                    Name::Same => {}
                    Name::Nothing => entry.parent = None,
                    Name::Other(parent) => entry.parent = Some(self.text(parent)),
                }
                entry
            }
        }
    }

    fn tree(&self, agent: &SessionTree) -> SessionTree {
        SessionTree {
            session_id: agent.session_id.clone(),
            cwd: agent.cwd.clone(),
            entries: self.items.iter().map(|item| self.entry(*item, agent)).collect(),
            leaf: self.leaf.clone(),
        }
    }

    /// The reading; `None` where it is the agent's.
    pub(crate) fn finish(self, agent: &SessionTree) -> Option<Salvaged> {
        let is_same = |(at, item): (usize, &Item)| match item {
            Item::Agent { of, id: Name::Same, parent: Name::Same } => *of as usize == at,
            _ => false,
        };
        let same = self.items.len() == agent.entries.len()
            && self.leaf == agent.leaf
            && self.items.iter().enumerate().all(is_same);
        (!same).then(|| Salvaged(Form::Difference(Box::new(self), OnceLock::new())))
    }
}

impl Salvaged {
    /// The reading of a log whose two trees were made apart; `None` where they are equal.
    pub(crate) fn of(agent: &SessionTree, salvaged: SessionTree) -> Option<Salvaged> {
        if agent.entries.is_empty() {
            return (*agent != salvaged).then_some(Salvaged(Form::Whole(salvaged)));
        }
        let mut difference = Difference { leaf: salvaged.leaf, ..Difference::default() };
        let mut at = 0;
        for entry in salvaged.entries {
            // Both are in the order of the file.
            while agent.entries.get(at).is_some_and(|like| like.bytes.start < entry.bytes.start) {
                at += 1;
            }
            let like = agent.entries.get(at).filter(|like| is_like(like, &entry));
            let Some(like) = like else {
                difference.push_own(entry);
                continue;
            };
            let (id, parent) = (difference.id(&like.id, &entry.id), difference.parent(like, &entry));
            difference.push_agent(at, id, parent);
            at += 1;
        }
        difference.finish(agent)
    }

    /// The agent's entries as repaired: `repaired` are their names and what of them refers to other entries, the rest of
    /// their kinds left out (see [`links::shells`](super::links::shells)).
    pub(crate) fn repaired(agent: &SessionTree, repaired: Vec<Entry>) -> Option<Salvaged> {
        let mut difference = Difference { leaf: agent.leaf.clone(), ..Difference::default() };
        for (at, (like, shell)) in agent.entries.iter().zip(repaired).enumerate() {
            if super::links::refers(&shell.kind) && shell.kind != like.kind {
                difference.push_own(Entry { bytes: like.bytes.clone(), time_ms: like.time_ms, ..shell });
                continue;
            }
            let (id, parent) = (difference.id(&like.id, &shell.id), difference.parent(like, &shell));
            difference.push_agent(at, id, parent);
        }
        difference.finish(agent)
    }

    /// The tree. Made at the first call and then held beside the agent's.
    pub fn tree<'s>(&'s self, agent: &SessionTree) -> &'s SessionTree {
        match &self.0 {
            Form::Whole(tree) => tree,
            Form::Difference(difference, tree) => tree.get_or_init(|| difference.tree(agent)),
        }
    }

    /// Number of its entries.
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Whole(tree) => tree.entries.len(),
            Form::Difference(difference, _) => difference.items.len(),
        }
    }

    /// Whether it has no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The identifier and the rest of its entry at an index; the entry itself may bear the agent's names.
    pub(crate) fn entry<'s>(&'s self, at: usize, agent: &'s SessionTree) -> (&'s str, &'s Entry) {
        match &self.0 {
            Form::Whole(tree) => (&tree.entries[at].id.0, &tree.entries[at]),
            Form::Difference(difference, _) => match difference.items[at] {
                Item::Own(own) => {
                    let entry = &difference.own[own as usize];
                    (&entry.id.0, entry)
                }
                Item::Agent { of, id, .. } => {
                    let entry = &agent.entries[of as usize];
                    match id {
                        Name::Other(id) => (difference.ids.text(id), entry),
                        Name::Same | Name::Nothing => (&entry.id.0, entry),
                    }
                }
            },
        }
    }

    /// Entries that are held beside the agent's.
    #[cfg(test)]
    pub(crate) fn own_entries(&self) -> usize {
        match &self.0 {
            Form::Whole(tree) => tree.entries.len(),
            Form::Difference(difference, _) => difference.own.len(),
        }
    }
}

impl Difference {
    fn id(&mut self, like: &EntryId, own: &EntryId) -> Name {
        if like == own { Name::Same } else { Name::Other(self.ids.number(&own.0)) }
    }

    fn parent(&mut self, like: &Entry, own: &Entry) -> Name {
        match &own.parent {
            parent if *parent == like.parent => Name::Same,
            None => Name::Nothing,
            Some(parent) => Name::Other(self.ids.number(&parent.0)),
        }
    }
}

/// Whether two entries are one up to names.
fn is_like(a: &Entry, b: &Entry) -> bool {
    a.bytes == b.bytes && a.line == b.line && a.time_ms == b.time_ms && a.kind == b.kind
}

/// Two readings are equal where their trees are, beside equal readings of the agent.
impl PartialEq for Salvaged {
    fn eq(&self, other: &Salvaged) -> bool {
        match (&self.0, &other.0) {
            (Form::Whole(a), Form::Whole(b)) => a == b,
            (Form::Difference(a, _), Form::Difference(b, _)) => {
                let name = |of: &Difference, name: Name| match name {
                    Name::Other(id) => Some(Some(of.ids.text(id).to_owned())),
                    Name::Same => None,
                    Name::Nothing => Some(None),
                };
                let same = |(x, y): (&Item, &Item)| match (*x, *y) {
                    (Item::Own(x), Item::Own(y)) => a.own[x as usize] == b.own[y as usize],
                    (
                        Item::Agent { of, id, parent },
                        Item::Agent { of: of_y, id: id_y, parent: parent_y },
                    ) => (of, name(a, id), name(a, parent)) == (of_y, name(b, id_y), name(b, parent_y)),
                    _ => false,
                };
                a.leaf == b.leaf && a.items.len() == b.items.len() && a.items.iter().zip(&b.items).all(same)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use engine::session::EntryKind;

    use crate::log::{ReadOptions, SessionLog, View, read};

    /// A transcript of Claude Code, as often in one file as said.
    fn repeated(times: usize) -> SessionLog {
        let line = |uuid: &str, parent: &str, kind: &str, message: &str| {
            format!(
                r#"{{"uuid":"{uuid}","parentUuid":{parent},"isSidechain":false,"sessionId":"s","type":"{kind}","message":{message}}}"#
            ) + "\n"
        };
        let piece = |text: &str| {
            format!(
                r#"{{"id":"m","role":"assistant","model":"x","content":[{{"type":"text","text":"{text}"}}],"usage":{{"input_tokens":1,"output_tokens":1}}}}"#
            )
        };
        let text = [
            line("a", "null", "user", r#"{"role":"user","content":"hello"}"#),
            line("b", "\"a\"", "assistant", &piece("one")),
            line("c", "\"b\"", "assistant", &piece("two")),
            line("d", "\"c\"", "user", r#"{"role":"user","content":"bye"}"#),
        ];
        read(text.concat().repeat(times).as_bytes(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn a_log_that_is_repeated_in_one_file_is_held_once() {
        let log = repeated(100);
        let salvaged = log.salvaged.as_ref().unwrap();
        assert_eq!((salvaged.len(), log.tree.entries.len()), (400, 400));
        // The reply begins with the first copy where every line has a name, with the last where that one counts.
        assert_eq!(salvaged.own_entries(), 2);
        let tree = log.view(View::Salvaged);
        let names: BTreeSet<_> = tree.entries.iter().map(|entry| &entry.id).collect();
        assert_eq!(names.len(), 400);
        assert!(
            tree.entries[1..].iter().all(|entry| names.contains(entry.parent.as_ref().unwrap_or(&entry.id)))
        );
        let begun = |log: &SessionLog, view: View| -> Vec<u64> {
            let entries = log.view(view).entries.iter();
            let begins = |kind: &EntryKind| match kind {
                EntryKind::Message(message) => message.reply.as_ref().is_some_and(|reply| !reply.continues),
                _ => false,
            };
            entries.filter(|entry| begins(&entry.kind)).map(|entry| entry.line).collect()
        };
        assert_eq!((begun(&log, View::Salvaged), begun(&log, View::Agent)), (vec![2], vec![398]));
        assert_eq!(log.stats(View::Salvaged).requests, 1);
        let listed: Vec<_> =
            log.entries(View::Salvaged).map(|(id, entry)| (id.to_owned(), entry.line)).collect();
        let made: Vec<_> = tree.entries.iter().map(|entry| (entry.id.0.to_string(), entry.line)).collect();
        assert_eq!(listed, made);
        assert_eq!(repeated(1).salvaged, None);
        assert_eq!(log, repeated(100));
    }
}
