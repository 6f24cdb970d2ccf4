import { folderOf } from '../store/ids.js';
import { isWithin } from '../tags/tags.js';
import { sequencePositions, tokenize } from '../text/tokenize.js';

/**
 * A note prepared for matching.
 * @typedef {object} Doc
 * @property {import('../store/note.js').Note} note
 * @property {string[]} title words of the title
 * @property {string[]} body words of the body
 * @property {Set<string>} words of both
 */

/** Prepares a note: its words are computed once. */
export function prepare(note) {
  const title = tokenize(note.title);
  const body = tokenize(note.body);
  return { note, title, body, words: new Set([...title, ...body]) };
}

const CONDITIONS = {
  word: hasWord,
  phrase: hasPhrase,
  title: (doc, clause) => clause.words.every((word) => doc.title.includes(word)),
  tag: (doc, clause) => doc.note.tags.some((tag) => isWithin(tag, clause.value)),
  folder: (doc, clause) => isInFolder(doc.note.id, clause.value),
  before: (doc, clause) => doc.note.created !== null && doc.note.created < clause.value,
  after: (doc, clause) => doc.note.created !== null && doc.note.created > clause.value,
};

/** True if one clause holds for a note. */
export function holds(doc, clause) {
  const condition = CONDITIONS[clause.kind];
  return condition(doc, clause);
}

/** True if all clauses of any group hold. */
export function matches(doc, query) {
  return query.groups.some((group) => group.every((clause) => holds(doc, clause)));
}

/** Clauses of the first group that don't hold: the answer to "why isn't my note found?". */
export function failing(doc, query) {
  const [group = []] = query.groups;
  return group.filter((clause) => !holds(doc, clause));
}

function hasWord(doc, clause) {
  const [word] = clause.words;
  if (doc.words.has(word)) return true;
  if (!clause.prefix) return false;
  for (const candidate of doc.words) {
    if (candidate.startsWith(word)) return true;
  }
  return false;
}

function hasPhrase(doc, clause) {
  return (
    sequencePositions(doc.title, clause.words).length > 0 || sequencePositions(doc.body, clause.words).length > 0
  );
}

function isInFolder(id, folder) {
  const own = folderOf(id);
  return own === folder || own.startsWith(`${folder}/`);
}
