//! Which files are embedded, and in which pieces.

use std::collections::BTreeMap;

use crate::project::{FileView, Role, View};

use super::outbound::{MAX_TEXT_BYTES, Outbound, mask};

/// Version of everything below that decides a piece's text. Raise it with any change of that, and of the masks.
pub(super) const CUTTING: &str = "windows/1";

/// Lines that one piece speaks for, where a file isn't longer than its most pieces.
const WINDOW_LINES: usize = 60;

/// Most pieces of a file: a longer one is cut into wider windows. A vector costs a model a thousand times what indexing its
/// lines costs.
const FILE_PIECES: usize = 4;

/// Most vectors of a project, and most bytes of them.
const MAX_PIECES: usize = 20_000;
const MAX_BYTES: usize = 128 << 20;

/// Files that get vectors, with what is left out for want of room.
pub(super) struct Wanted<'v> {
    /// In the order in which they are sent: program text, tests, documents; each by path.
    pub(super) files: Vec<&'v FileView>,
    /// Files beyond the bounds.
    pub(super) left_out: u64,
}

impl<'v> Wanted<'v> {
    /// Chosen by the view and the dimensions alone, so that what was embedded before changes nothing.
    pub(super) fn of(view: &'v View, dimensions: usize) -> Wanted<'v> {
        let mut room = MAX_PIECES.min(MAX_BYTES / (dimensions * size_of::<f32>()));
        let mut files: Vec<&FileView> = view.files.iter().filter(|file| speaks(file.role)).collect();
        // The sort is stable and files are in path order.
        files.sort_by_key(|file| file.role);
        let fits = |file: &&FileView| {
            let pieces = count(file.lines as usize);
            let fits = pieces <= room;
            room = if fits { room - pieces } else { 0 };
            fits
        };
        let all = files.len();
        let files: Vec<&FileView> = files.into_iter().take_while(fits).collect();
        let left_out = (all - files.len()) as u64;
        Wanted { files, left_out }
    }

    /// Path and hash of each.
    pub(super) fn hashes(&self) -> BTreeMap<&'v str, [u8; 32]> {
        self.files.iter().map(|file| (file.path.as_str(), file.sha256)).collect()
    }
}

/// What is written by programs or for them has no words of a task.
fn speaks(role: Role) -> bool {
    matches!(role, Role::Source | Role::Test | Role::Document)
}

fn count(lines: usize) -> usize {
    lines.div_ceil(WINDOW_LINES).clamp(1, FILE_PIECES)
}

/// The pieces of a file's text: its path, the names that the window defines, and the window's lines without what only stands
/// for layout, from the top as far as a text may go.
pub(super) fn pieces(file: &FileView, text: &str) -> Vec<Outbound> {
    // As a whole first: what makes a secret may stand lines before it.
    let masked = mask(text);
    let lines: Vec<&str> = masked.lines().collect();
    let window = lines.len().div_ceil(count(lines.len())).max(1);
    let windows = lines.len().div_ceil(window).max(1);
    (0..windows)
        .map(|at| {
            let (start, end) = (at * window, ((at + 1) * window).min(lines.len()));
            Outbound::masked(&piece(file, start, &lines[start..end]))
        })
        .collect()
}

fn piece(file: &FileView, start: usize, lines: &[&str]) -> String {
    let mut out = file.path.clone();
    let inside = |line: u32| (start + 1..=start + lines.len()).contains(&(line as usize));
    for (at, symbol) in file.symbols.iter().filter(|symbol| inside(symbol.start_line)).enumerate() {
        if out.len() > MAX_TEXT_BYTES / 2 {
            break;
        }
        out.push_str(if at == 0 { "\n" } else { ", " });
        out.push_str(&symbol.name);
    }
    for line in lines.iter().map(|line| line.trim()) {
        if out.len() > MAX_TEXT_BYTES {
            break;
        }
        if line.chars().any(char::is_alphanumeric) {
            out.push('\n');
            out.push_str(line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Symbol;

    fn file(path: &str, role: Role, lines: usize) -> FileView {
        let symbol = |name: &str, line: u32| Symbol {
            name: name.to_owned(),
            kind: "function".to_owned(),
            parent: None,
            start_line: line,
            end_line: line,
            signature: String::new(),
        };
        FileView {
            path: path.to_owned(),
            sha256: [0; 32],
            language: None,
            role,
            lines: u32::try_from(lines).unwrap(),
            lengths: [0; 3],
            symbols: vec![symbol("first", 1), symbol("second", 61)],
            imports: Vec::new(),
        }
    }

    #[test]
    fn a_file_is_cut_into_few_windows_each_with_its_path_and_names() {
        let text: String = (1..=100).map(|line| format!("  word{line};\n  }}\n")).collect();
        let pieces = pieces(&file("a/b.rs", Role::Source, 200), &text);
        assert_eq!(pieces.len(), 4);
        assert!(pieces[0].as_str().starts_with("a/b.rs\nfirst\nword1;\nword2;"), "{:?}", pieces[0]);
        assert!(pieces[1].as_str().starts_with("a/b.rs\nsecond\nword26;"), "{:?}", pieces[1]);
    }

    #[test]
    fn an_empty_file_is_its_path() {
        let pieces = pieces(&file("a.rs", Role::Source, 0), "");
        assert_eq!(pieces.iter().map(Outbound::as_str).collect::<Vec<_>>(), ["a.rs"]);
    }

    #[test]
    fn a_long_file_has_no_more_pieces_than_a_shorter_one() {
        let text = "word\n".repeat(90_000);
        assert_eq!(pieces(&file("a.rs", Role::Source, 90_000), &text).len(), FILE_PIECES);
    }

    #[test]
    fn what_has_no_room_is_left_out_from_the_end() {
        let mut view = View::default();
        for at in 0..MAX_PIECES {
            view.files.push(file(&format!("{at:05}.rs"), Role::Test, 1));
        }
        view.files.push(file("z.md", Role::Document, 1));
        view.files.push(file("z.rs", Role::Source, 1));
        view.files.push(file("z.json", Role::Data, 1));
        let wanted = Wanted::of(&view, 384);
        assert_eq!((wanted.files.len(), wanted.left_out), (MAX_PIECES, 2));
        assert_eq!(wanted.files[0].path, "z.rs");
        assert_eq!(Wanted::of(&view, 4_096).files.len(), MAX_BYTES / 4_096 / 4);
    }
}
