import { escapeHtml } from '../text/escape.js';
import { tokens } from '../text/tokenize.js';

/** Places of the words in a text; neighbours that are separated by one space only become one place. */
export function highlightRanges(text, words) {
  const wanted = new Set(words);
  const ranges = [];
  for (const { word, start, end } of tokens(text)) {
    if (!wanted.has(word)) continue;
    const last = ranges.at(-1);
    if (last && text.slice(last.end, start) === ' ') last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

/** HTML with `<mark>` around the words. */
export function highlightHtml(text, words) {
  return wrap(text, words, escapeHtml, (inner) => `<mark>${inner}</mark>`);
}

/** Text for a terminal, the words in bold. */
export function highlightTerminal(text, words) {
  return wrap(text, words, (part) => part, (inner) => `\u001b[1m${inner}\u001b[22m`);
}

function wrap(text, words, plain, marked) {
  let result = '';
  let at = 0;
  for (const { start, end } of highlightRanges(text, words)) {
    result += plain(text.slice(at, start)) + marked(plain(text.slice(start, end)));
    at = end;
  }
  return result + plain(text.slice(at));
}
