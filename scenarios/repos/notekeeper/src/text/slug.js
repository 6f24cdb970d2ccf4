import { fold } from './tokenize.js';

/** Name for a file or an address: words joined by dashes. */
export function slug(text) {
  return fold(text)
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
}

/** Hands out the anchors of a page: the second `setup` becomes `setup-1`, as on well-known code hosts. */
export class Anchors {
  #used = new Map();

  next(heading) {
    const base = slug(heading) || 'section';
    const count = this.#used.get(base) ?? 0;
    this.#used.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  }
}

/** Key by which wiki links find notes: titles that differ in case, accents or punctuation only are the same. */
export function linkKey(text) {
  return slug(text);
}
