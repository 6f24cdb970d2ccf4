import { SyntaxFault } from '../errors.js';

const FENCE = '---';

/**
 * Splits a file into front matter and body. The front matter is a Map, so that keys keep their order and unknown
 * ones survive; a file without it has an empty Map.
 */
export function splitFrontMatter(text, where = null) {
  const lines = text.split('\n');
  if (lines[0].trimEnd() !== FENCE) return { fields: new Map(), body: text };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === FENCE);
  if (end === -1) throw new SyntaxFault('front matter with an end', lines[0], where);
  const fields = new Map();
  for (const line of lines.slice(1, end)) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon < 1) throw new SyntaxFault('a line of front matter', line, where);
    fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return { fields, body: lines.slice(end + 1).join('\n') };
}

/** The inverse of {@link splitFrontMatter}. */
export function joinFrontMatter(fields, body) {
  if (fields.size === 0) return body;
  const lines = [...fields].map(([key, value]) => `${key}: ${value}`.trimEnd());
  return [FENCE, ...lines, FENCE, body].join('\n');
}

/** Values of a field that holds a list separated by commas; empty ones are dropped. */
export function listField(fields, key) {
  const value = fields.get(key) ?? '';
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A Map with a list field replaced; the field goes away with its last value. */
export function withListField(fields, key, values) {
  const changed = new Map(fields);
  if (values.length === 0) changed.delete(key);
  else changed.set(key, values.join(', '));
  return changed;
}
