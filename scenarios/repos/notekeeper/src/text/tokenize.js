/** Words of a text as search sees them: without accents, in lower case, letters and digits only. */
export function tokenize(text) {
  return [...tokens(text)].map((token) => token.word);
}

/** Words with their place in the original text, for highlighting. */
export function* tokens(text) {
  for (const match of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const word = fold(match[0]);
    if (word !== '') yield { word, start: match.index, end: match.index + match[0].length };
  }
}

/** Lower case without accents. */
export function fold(text) {
  return text.normalize('NFKD').replace(/\p{M}+/gu, '').toLowerCase();
}

/** How often each word occurs. */
export function frequencies(words) {
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Positions at which a sequence of words begins within another. */
export function sequencePositions(words, sequence) {
  const found = [];
  for (let start = 0; start + sequence.length <= words.length; start += 1) {
    if (sequence.every((word, offset) => words[start + offset] === word)) found.push(start);
  }
  return found;
}
