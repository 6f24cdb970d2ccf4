import { frequencies } from '../text/tokenize.js';

const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
const USUAL_LENGTH = 120;
const TITLE_BONUS = 3;

/** Weight of a word: rare words say more. */
export function rarity({ notes, all }) {
  return Math.log(1 + (all - notes + 0.5) / (notes + 0.5));
}

/**
 * Score of a note for some words: BM25 over the body with a fixed usual length, and a bonus for words of the title.
 * `frequency` tells in how many notes a word occurs.
 */
export function score(doc, words, frequency) {
  const counts = frequencies(doc.body);
  const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * doc.body.length) / USUAL_LENGTH;
  let total = 0;
  for (const word of words) {
    const weight = rarity(frequency(word));
    const count = counts.get(word) ?? 0;
    total += (weight * count * (SATURATION + 1)) / (count + SATURATION * length);
    if (doc.title.includes(word)) total += weight * TITLE_BONUS;
  }
  return total;
}

/** Order of results: by score, then by identifier. */
export function byScore(a, b) {
  return b.score - a.score || (a.id < b.id ? -1 : 1);
}
