import { SyntaxFault } from '../errors.js';
import { listField } from '../store/frontmatter.js';
import { blankCode } from '../text/code.js';

const NAME = /^\p{L}[\p{L}\p{N}_-]*(?:\/\p{L}[\p{L}\p{N}_-]*)*$/u;
const IN_TEXT = /(?<![\p{L}\p{N}_/#&])#(\p{L}[\p{L}\p{N}_-]*(?:\/\p{L}[\p{L}\p{N}_-]*)*)/gu;

/** Lower case without a leading `#`. */
export function normalizeTag(tag) {
  return tag.trim().replace(/^#/, '').toLowerCase();
}

/** The normalised tag; throws if it can't be one. */
export function checkTag(tag) {
  const name = normalizeTag(tag);
  if (!NAME.test(name)) throw new SyntaxFault('a tag', tag);
  return name;
}

/** Tags in the text with their place, `#` included; code isn't read. */
export function findTags(body) {
  return [...blankCode(body).matchAll(IN_TEXT)].map((match) => ({
    tag: normalizeTag(match[1]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** All tags of a note, from front matter and text: sorted, without duplicates. */
export function tagsOf(fields, body) {
  const declared = listField(fields, 'tags').map(normalizeTag);
  const written = findTags(body).map((found) => found.tag);
  return [...new Set([...declared, ...written])].sort();
}

/** True if a tag is another one or nested in it: `plan/spring` is within `plan`, `planet` isn't. */
export function isWithin(tag, parent) {
  return tag === parent || tag.startsWith(`${parent}/`);
}

/** A tag and all those it is nested in, the outermost first. */
export function lineage(tag) {
  const parts = tag.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
