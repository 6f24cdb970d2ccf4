import { SyntaxFault } from '../errors.js';
import { parseDay } from '../schedule/dates.js';
import { checkTag } from '../tags/tags.js';
import { tokenize } from '../text/tokenize.js';

/**
 * One condition of a query; see `docs/search.md`.
 * @typedef {object} Clause
 * @property {'word'|'phrase'|'title'|'tag'|'folder'|'before'|'after'} kind
 * @property {string[]} [words] of word, phrase and title
 * @property {string} [value] of the others
 * @property {boolean} [prefix] true for a word that may go on
 */

/**
 * A query: a note matches if all clauses of any group hold.
 * @typedef {object} Query
 * @property {Clause[][]} groups
 */

const FIELDS = new Set(['tag', 'title', 'in', 'before', 'after']);

/** Pieces of a query: a field or null, the text, and whether it was quoted. */
export function lex(text) {
  const pieces = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at])) {
      at += 1;
      continue;
    }
    const { piece, end } = readPiece(text, at);
    pieces.push(piece);
    at = end;
  }
  return pieces;
}

function readPiece(text, start) {
  let at = start;
  let field = null;
  const named = /^([a-z]+):/.exec(text.slice(at));
  if (named && FIELDS.has(named[1])) {
    field = named[1];
    at += named[0].length;
  }
  if (text[at] === '"') {
    const close = text.indexOf('"', at + 1);
    const end = close === -1 ? text.length : close;
    return { piece: { field, text: text.slice(at + 1, end), quoted: true }, end: end + 1 };
  }
  let end = at;
  while (end < text.length && !/\s/.test(text[end])) end += 1;
  return { piece: { field, text: text.slice(at, end), quoted: false }, end };
}

function readClause(piece) {
  switch (piece.field) {
    case 'tag':
      return { kind: 'tag', value: checkTag(piece.text) };
    case 'title':
      return { kind: 'title', words: needWords(piece) };
    case 'in':
      return { kind: 'folder', value: piece.text.replace(/^\/+|\/+$/g, '') };
    case 'before':
    case 'after':
      return { kind: piece.field, value: parseDay(piece.text) };
    default:
      return readWords(piece);
  }
}

function needWords(piece) {
  const words = tokenize(piece.text);
  if (words.length === 0) throw new SyntaxFault('a word to look for', piece.text);
  return words;
}

/** Punctuation alone isn't a condition; `e-mail` is a phrase of two words. */
function readWords(piece) {
  const words = tokenize(piece.text);
  if (words.length === 0) return null;
  return piece.quoted || words.length > 1 ? { kind: 'phrase', words } : { kind: 'word', words, prefix: false };
}

/** Reads a query. An empty one has no groups and matches nothing. */
export function parseQuery(text) {
  const groups = [[]];
  const pieces = lex(text);
  pieces.forEach((piece, index) => {
    if (piece.text === 'OR' && piece.field === null && !piece.quoted) {
      groups.push([]);
      return;
    }
    const clause = readClause(piece);
    if (clause === null) return;
    if (clause.kind === 'word' && index === pieces.length - 1) clause.prefix = true;
    groups.at(-1).push(clause);
  });
  return { groups: groups.filter((group) => group.length > 0) };
}

/** Words that any note matching a group contains as they are: what the index looks up. */
export function requiredWords(group) {
  return group.filter((clause) => isText(clause) && !clause.prefix).flatMap((clause) => clause.words);
}

/** Words of the whole query, for ranking, excerpts and highlighting: without duplicates, in order. */
export function queryWords(query) {
  const words = query.groups.flat().filter(isText).flatMap((clause) => clause.words);
  return [...new Set(words)];
}

function isText(clause) {
  return clause.kind === 'word' || clause.kind === 'phrase' || clause.kind === 'title';
}

/** A query as text again, with one way of writing things: for history and saved searches. */
export function printQuery(query) {
  return query.groups.map((group) => group.map(printClause).join(' ')).join(' OR ');
}

function printClause(clause) {
  const text = clause.words ? clause.words.join(' ') : clause.value;
  const quoted = clause.kind === 'phrase' || text.includes(' ') ? `"${text}"` : text;
  if (clause.kind === 'word' || clause.kind === 'phrase') return quoted;
  return `${clause.kind === 'folder' ? 'in' : clause.kind}:${quoted}`;
}
