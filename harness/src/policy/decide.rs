//! The function from a request to the next action.

use crate::scenario::{Knowledge, Replacement};

use super::action::{Action, Tool, search_command};
use super::draws::{Draws, Mistake};
use super::parameters::Parameters;
use super::progress::{Progress, Region};
use super::ranking::Ranking;
use super::sight::{Sight, Sighting};
use super::task::Task;
use super::transcript::Transcript;

/// Failed edit calls after which the model stops.
const MAX_FAILED_EDITS: u32 = 3;

/// The scripted model's next action. A pure function of the request's text, what the model knows, how it errs and the
/// dice of the run.
pub fn decide(view: &Transcript, knowledge: &Knowledge, parameters: &Parameters, draws: &Draws) -> Action {
    if !view.has_tools {
        return answer(
            "So far: the task was read, files were searched and read, edits were made and checked.",
        );
    }
    let task = Task::find(view);
    let progress = Progress::of(view, knowledge, &task);
    let model = Model { view, knowledge, parameters, draws, task, progress };
    if view.steps() >= parameters.max_steps || model.progress.failed_edits >= MAX_FAILED_EDITS {
        return answer("I couldn't find a change that makes the check pass.");
    }
    model
        .after_a_check()
        .or_else(|| model.check_what_was_changed())
        .or_else(|| model.habits())
        .or_else(|| model.edit())
        .or_else(|| model.read(false))
        .or_else(|| model.search())
        .or_else(|| model.list())
        .or_else(|| model.read(true))
        .unwrap_or_else(|| answer("I couldn't find where this has to be changed."))
}

struct Model<'a> {
    view: &'a Transcript,
    knowledge: &'a Knowledge,
    parameters: &'a Parameters,
    draws: &'a Draws,
    task: Task,
    progress: Progress,
}

impl Model<'_> {
    /// A check of an edit has just been run: done, give up, or take back what failed.
    fn after_a_check(&self) -> Option<Action> {
        let check = self.progress.fresh_check().filter(|check| check.edits > 0)?;
        if check.passed {
            return Some(answer("The check passes now. I changed only what it needed."));
        }
        let failures = self.progress.failed_checks();
        if self.draws.falls(Mistake::Abandon, failures - 1, self.parameters.abandon) {
            return Some(answer("The check still fails for another reason; I'd leave the change as it is."));
        }
        if let Some((number, path)) = self.loose_neighbour() {
            let neighbour = &self.knowledge.distractors[number];
            let say = "That wasn't it, the check still fails. Taking the change back.";
            return Some(edit(say, path, vec![(neighbour.replace.clone(), neighbour.find.clone())]));
        }
        if self.progress.regions.first() == Some(&Region::Bad) {
            return self.redo();
        }
        Some(answer("The change is made, but the check still fails. I don't see why."))
    }

    fn loose_neighbour(&self) -> Option<(usize, &str)> {
        let mut loose = self.progress.loose.iter().enumerate();
        loose.find_map(|(number, path)| Some((number, path.as_deref()?)))
    }

    fn redo(&self) -> Option<Action> {
        let bad = self.knowledge.bad_first_edit.as_ref()?;
        let path = self.progress.bad_path.as_deref()?;
        if let Some(again) = self.read_again(path) {
            return Some(again);
        }
        let right = self.knowledge.edits.first()?;
        let change = (bad.replace.clone(), right.replace.clone());
        Some(edit("Still failing: the first attempt was wrong. Correcting it.", path, vec![change]))
    }

    /// Runs the check once everything that is to be changed is changed, or something doubtful is.
    fn check_what_was_changed(&self) -> Option<Action> {
        let doubtful = self.loose_neighbour().is_some() || self.progress.regions.contains(&Region::Bad);
        if self.progress.edits == 0 || !(doubtful || self.progress.complete()) {
            return None;
        }
        match &self.task.check {
            Some(_) => self.check("Running the check."),
            None => Some(answer("Done; no check was named.")),
        }
    }

    fn check(&self, say: &str) -> Option<Action> {
        let command = self.task.check.clone()?;
        Some(call(say, Tool::Shell { command }))
    }

    /// What some people do before anything else.
    fn habits(&self) -> Option<Action> {
        if self.progress.edits > 0 {
            return None;
        }
        let first = self.view.steps() == 0;
        if first && self.draws.falls(Mistake::CheckFirst, 0, self.parameters.check_first) {
            return self.check("Let me see it fail first.");
        }
        let file = self.task.check_file().filter(|file| !self.progress.read.contains_key(file))?;
        let wanted = self.draws.falls(Mistake::ReadCheck, 0, self.parameters.read_check);
        wanted.then(|| call("Looking at what the check expects.", Tool::Read { path: file }))
    }

    /// Edits what is in view: the right regions, or a plausible neighbour that came before them.
    fn edit(&self) -> Option<Action> {
        let sight = Sight::of(self.view);
        let right = self.first_right_region(&sight);
        if let Some(action) = self.edit_neighbour(&sight, right.as_ref().map(|(_, sighting)| sighting)) {
            return Some(action);
        }
        let (number, sighting) = right?;
        if let Some(again) = self.read_again(&sighting.path) {
            return Some(again);
        }
        let mut changes = vec![self.first_attempt(number)];
        for (other, change) in self.knowledge.edits.iter().enumerate() {
            let pristine = other != number && self.progress.regions[other] == Region::Pristine;
            if pristine && self.trusted(&sight, change).iter().any(|seen| seen.path == sighting.path) {
                changes.push((change.find.clone(), change.replace.clone()));
            }
        }
        Some(edit("This is the place to change.", &sighting.path, changes))
    }

    fn first_right_region(&self, sight: &Sight<'_>) -> Option<(usize, Sighting)> {
        let pristine = self.knowledge.edits.iter().enumerate();
        let mut pristine = pristine.filter(|(number, _)| self.progress.regions[*number] == Region::Pristine);
        pristine.find_map(|(number, change)| Some((number, self.trusted(sight, change).into_iter().next()?)))
    }

    /// A neighbour is taken for the place if it came before the right one, in the same message, or alone.
    fn edit_neighbour(&self, sight: &Sight<'_>, right: Option<&Sighting>) -> Option<Action> {
        if self.progress.edits > 0 && self.progress.regions.contains(&Region::Right) {
            return None;
        }
        for (number, neighbour) in self.knowledge.distractors.iter().enumerate() {
            if self.progress.tried.contains(&number) {
                continue;
            }
            let step = u32::try_from(number).unwrap_or(u32::MAX);
            let first = self.trusted(sight, neighbour).into_iter().next();
            let Some(seen) = first.filter(|seen| right.is_none_or(|right| seen.turn <= right.turn)) else {
                continue;
            };
            if self.draws.falls(Mistake::Distractor, step, self.parameters.distractor) {
                let change = (neighbour.find.clone(), neighbour.replace.clone());
                return Some(edit("This looks like the cause.", &seen.path, vec![change]));
            }
        }
        None
    }

    /// Sightings in files whose last edit didn't fail.
    fn trusted(&self, sight: &Sight<'_>, change: &Replacement) -> Vec<Sighting> {
        let mut seen = sight.find(&change.find);
        seen.retain(|sighting| !self.progress.doubtful.contains(&sighting.path));
        seen
    }

    fn first_attempt(&self, number: usize) -> (String, String) {
        let right = &self.knowledge.edits[number];
        let bad = self.knowledge.bad_first_edit.as_ref().filter(|_| number == 0);
        let errs = self.draws.falls(Mistake::BadFirstEdit, 0, self.parameters.bad_first_edit);
        let chosen = bad.filter(|_| errs).unwrap_or(right);
        (right.find.clone(), chosen.replace.clone())
    }

    fn read_again(&self, path: &str) -> Option<Action> {
        let wanted = self.draws.falls(Mistake::Reread, self.progress.edits, self.parameters.reread);
        let just = self.progress.just_read.as_deref() == Some(path);
        (wanted && !just).then(|| call("Reading it again to be sure.", Tool::Read { path: path.to_owned() }))
    }

    /// Reads the most promising file; `any` also one that shares no word with the task.
    fn read(&self, any: bool) -> Option<Action> {
        let spent = self.progress.reads_since_search >= self.parameters.reads_per_search;
        if spent && self.next_word().is_some() {
            return None;
        }
        let ranking = Ranking::of(self.view, &self.task, &self.knowledge.search);
        let unread =
            |path: &str| !self.progress.read.contains_key(path) || self.progress.doubtful.contains(path);
        let files: Vec<&String> = ranking
            .files
            .iter()
            .filter(|(path, score)| unread(path) && (any || *score > 0.0))
            .map(|(path, _)| path)
            .collect();
        let second = files.get(1).copied().filter(|_| {
            self.draws.falls(Mistake::WrongFile, self.progress.reads, self.parameters.wrong_file)
        });
        let path = second.or_else(|| files.first().copied())?.clone();
        if let Some(path) = self.forgotten(&ranking) {
            return Some(call("Let me look at that one again.", Tool::Read { path }));
        }
        Some(call("This file looks related.", Tool::Read { path }))
    }

    /// A file read once that is read a second time before the next one: the best of those that weren't read just now.
    fn forgotten(&self, ranking: &Ranking) -> Option<String> {
        let once = |path: &String| self.progress.read.get(path) == Some(&1);
        let just = |path: &String| self.progress.just_read.as_ref() == Some(path);
        let forgets = self.draws.falls(Mistake::Forget, self.progress.reads, self.parameters.reread);
        let mut read = ranking.files.iter().map(|(path, _)| path).filter(|path| once(path) && !just(path));
        read.next().filter(|_| forgets).cloned()
    }

    fn next_word(&self) -> Option<&String> {
        self.knowledge.search.iter().find(|word| !self.progress.commands.contains(&search_command(word)))
    }

    fn search(&self) -> Option<Action> {
        let word = self.next_word()?;
        Some(call(&format!("Searching for `{word}`."), Tool::Shell { command: search_command(word) }))
    }

    fn list(&self) -> Option<Action> {
        let ranking = Ranking::of(self.view, &self.task, &self.knowledge.search);
        let root = ".".to_owned();
        let path = std::iter::once(&root)
            .chain(&ranking.folders)
            .find(|path| !self.progress.listed.contains(*path))?;
        Some(call("Let me see what there is.", Tool::List { path: path.clone() }))
    }
}

fn answer(say: &str) -> Action {
    Action::Answer { say: say.to_owned() }
}

fn call(say: &str, tool: Tool) -> Action {
    Action::Call { say: say.to_owned(), tool }
}

fn edit(say: &str, path: &str, changes: Vec<(String, String)>) -> Action {
    call(say, Tool::Edit { path: path.to_owned(), changes })
}
