import { markFences } from '../text/code.js';
import { linkKey } from '../text/slug.js';

/**
 * A wiki link: `[[target]]`, `[[target#heading]]`, `[[target|label]]`.
 * @typedef {object} Link
 * @property {string} target title or identifier as written
 * @property {string|null} heading
 * @property {string|null} label
 * @property {number} line 1-based
 * @property {number} column 1-based, of the opening bracket
 */

const LINK = /\[\[([^\][|#\n]+)(?:#([^\][|\n]+))?(?:\|([^\][\n]*))?\]\]/g;

/** Lines that aren't code. */
function textLines(body) {
  return markFences(body)
    .map(({ line, code }, index) => ({ line, code, number: index + 1 }))
    .filter(({ code }) => !code);
}

/** Wiki links of a body in the order in which they stand there. */
export function extractLinks(body) {
  const links = [];
  for (const { line, number } of textLines(body)) {
    for (const match of line.matchAll(LINK)) {
      const [, target, heading, label] = match;
      links.push({
        target: target.trim(),
        heading: heading?.trim() ?? null,
        label: label?.trim() || null,
        line: number,
        column: match.index + 1,
      });
    }
  }
  return links.filter((link) => link.target !== '');
}

/** Finds notes by what a link says: the identifier, or else the title. */
export class LinkResolver {
  #byId = new Map();
  #byTitle = new Map();

  constructor(notes) {
    for (const note of notes) {
      this.#byId.set(note.id.toLowerCase(), note);
      const key = linkKey(note.title);
      if (!this.#byTitle.has(key)) this.#byTitle.set(key, []);
      this.#byTitle.get(key).push(note);
    }
  }

  /** The note a target stands for, or null. Of several notes with the same title the first identifier wins. */
  resolve(target) {
    const byId = this.#byId.get(target.trim().toLowerCase());
    if (byId !== undefined) return byId;
    const candidates = this.#byTitle.get(linkKey(target)) ?? [];
    return candidates.reduce((best, note) => (best === null || note.id < best.id ? note : best), null);
  }

  /** True if more than one note has the title. */
  isAmbiguous(target) {
    return !this.#byId.has(target.trim().toLowerCase()) && (this.#byTitle.get(linkKey(target))?.length ?? 0) > 1;
  }
}

/** A link as it is written. */
export function printLink({ target, heading, label }) {
  return `[[${target}${heading ? `#${heading}` : ''}${label ? `|${label}` : ''}]]`;
}

/** Body with all links to a note pointing to its new title; labels and headings stay. */
export function retarget(body, oldTitle, newTitle) {
  const key = linkKey(oldTitle);
  const lines = body.split('\n');
  const found = extractLinks(body).filter((link) => linkKey(link.target) === key);
  for (const link of found.reverse()) {
    const line = lines[link.line - 1];
    const start = link.column - 1;
    const end = line.indexOf(']]', start) + 2;
    lines[link.line - 1] = line.slice(0, start) + printLink({ ...link, target: newTitle }) + line.slice(end);
  }
  return lines.join('\n');
}
