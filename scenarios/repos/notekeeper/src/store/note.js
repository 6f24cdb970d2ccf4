import { nameOf } from './ids.js';
import { joinFrontMatter, splitFrontMatter } from './frontmatter.js';
import { parseDay } from '../schedule/dates.js';
import { tagsOf } from '../tags/tags.js';

/**
 * A note as the rest of the program sees it.
 * @typedef {object} Note
 * @property {string} id file name without `.md`
 * @property {string} title
 * @property {string[]} tags normalised, sorted, without duplicates
 * @property {string|null} created ISO day
 * @property {Map<string, string>} fields front matter
 * @property {string} body text after the front matter
 */

/** Builds a {@link Note} from the text of its file. */
export function parseNote(id, text) {
  const { fields, body } = splitFrontMatter(text, id);
  const created = fields.has('created') ? parseDay(fields.get('created'), id) : null;
  return { id, title: titleOf(id, fields, body), tags: tagsOf(fields, body), created, fields, body };
}

/** Text of a note's file. */
export function serializeNote(note) {
  return joinFrontMatter(note.fields, note.body);
}

function titleOf(id, fields, body) {
  const declared = fields.get('title');
  if (declared) return declared;
  const heading = /^#\s+(.+?)\s*#*\s*$/m.exec(body);
  if (heading) return heading[1];
  return nameOf(id).replace(/[-_]+/g, ' ');
}

/** A copy of a note with another body or other front matter; title and tags are read anew. */
export function withText(note, { fields = note.fields, body = note.body }) {
  return parseNote(note.id, joinFrontMatter(fields, body));
}
