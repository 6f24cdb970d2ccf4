import { parseBlocks } from './markdown.js';
import { tokens } from './tokenize.js';

/** A body as one line of plain text: no markup, no code blocks, labels instead of links. */
export function plainText(body) {
  return parseBlocks(body)
    .filter((block) => block.kind !== 'code')
    .map((block) => stripInline(block.kind === 'heading' ? block.text : block.lines.join(' ')))
    .join(' ');
}

function stripInline(text) {
  return text
    .replace(/\[\[([^\]|]+)(?:\|([^\]]*))?\]\]/g, (_, target, label) => label ?? target)
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|~~|`+|(?<!\w)\*|\*(?!\w))/g, '')
    .trim();
}

/** Some text around the first of the words, cut at spaces, at most `length` characters without the ellipses. */
export function excerpt(body, words, length) {
  const text = plainText(body);
  if (text.length <= length) return text;
  const wanted = new Set(words);
  const first = [...tokens(text)].find((token) => wanted.has(token.word));
  const centre = first ? first.start : 0;
  let start = Math.max(0, Math.min(centre - Math.floor(length / 3), text.length - length));
  if (start > 0) start = text.indexOf(' ', start) + 1 || start;
  let end = Math.min(text.length, start + length);
  if (end < text.length) {
    const space = text.lastIndexOf(' ', end);
    if (space > start) end = space;
  }
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}
