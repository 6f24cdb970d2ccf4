import { NoteError } from '../errors.js';
import { listField, withListField } from '../store/frontmatter.js';
import { withText } from '../store/note.js';
import { escapeRegExp } from '../text/escape.js';
import { checkTag, isWithin } from './tags.js';

/**
 * What renaming a tag does to one note.
 * @typedef {object} Renaming
 * @property {import('../store/note.js').Note} before
 * @property {import('../store/note.js').Note} after
 * @property {number} places how many tags were changed, in front matter and text
 */

/** Both tags normalised; throws where renaming would make no sense. */
export function checkRenaming(from, to) {
  const source = checkTag(from);
  const target = checkTag(to);
  if (source === target) throw new NoteError(`"${from}" and "${to}" are the same tag`);
  if (isWithin(target, source)) throw new NoteError(`"${target}" lies within "${source}"`);
  return { source, target };
}

/** New name of a tag, or the tag itself if it isn't the one that is renamed. */
export function renamedTag(tag, source, target) {
  return tag === source ? target : tag;
}

/** Front matter with the tag renamed. A tag that is there twice afterwards is kept once, at its first place. */
export function renameInFields(fields, source, target) {
  const tags = listField(fields, 'tags');
  let places = 0;
  const renamed = tags.map((tag) => {
    const result = renamedTag(tag.toLowerCase(), source, target);
    if (result === tag.toLowerCase()) return tag;
    places += 1;
    return result;
  });
  if (places === 0) return { fields, places };
  return { fields: withListField(fields, 'tags', [...new Set(renamed)]), places };
}

/** Text with the tag renamed. */
export function renameInBody(body, source, target) {
  const pattern = new RegExp(`#${escapeRegExp(source)}`, 'giu');
  let places = 0;
  const changed = body.replace(pattern, () => {
    places += 1;
    return `#${target}`;
  });
  return { body: changed, places };
}

/** Renames a tag in one note; null if the note doesn't have it. */
export function renameInNote(note, source, target) {
  const head = renameInFields(note.fields, source, target);
  const text = renameInBody(note.body, source, target);
  const places = head.places + text.places;
  if (places === 0) return null;
  return { before: note, after: withText(note, { fields: head.fields, body: text.body }), places };
}

/** Renames a tag in all notes: one {@link Renaming} for each note that changes, in the order of the notes. */
export function renameTag(notes, from, to) {
  const { source, target } = checkRenaming(from, to);
  return notes.map((note) => renameInNote(note, source, target)).filter((change) => change !== null);
}

/** True if notes have the new tag already, so that renaming would join two tags for good. */
export function joinsTags(notes, to) {
  const target = checkTag(to);
  return notes.some((note) => note.tags.some((tag) => isWithin(tag, target)));
}

/** Lines for `--dry-run`: which notes change, and in how many places. */
export function describeRenaming(changes) {
  const lines = changes.map(({ before, places }) => `${before.id}: ${places} ${places === 1 ? 'place' : 'places'}`);
  const total = changes.reduce((sum, change) => sum + change.places, 0);
  return [...lines, `${changes.length} notes, ${total} places`];
}
