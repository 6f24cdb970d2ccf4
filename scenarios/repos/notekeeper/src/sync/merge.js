import { joinFrontMatter, listField, splitFrontMatter, withListField } from '../store/frontmatter.js';
import { commonLines } from './diff.js';
import { conflictLines } from './conflicts.js';

/** Lines of a three-way merge, and how many regions couldn't be merged. */
export function mergeLines(base, mine, theirs) {
  const stable = stablePoints(base, mine, theirs);
  const lines = [];
  let conflicts = 0;
  let [o, a, b] = [0, 0, 0];
  for (const [i, j, k] of stable) {
    const region = mergeRegion(base.slice(o, i), mine.slice(a, j), theirs.slice(b, k));
    lines.push(...region.lines);
    conflicts += region.conflict ? 1 : 0;
    if (i < base.length) lines.push(base[i]);
    [o, a, b] = [i + 1, j + 1, k + 1];
  }
  return { lines, conflicts };
}

/** Lines that all three versions share, in order, and the end of all three. */
function stablePoints(base, mine, theirs) {
  const inTheirs = new Map(commonLines(base, theirs));
  const shared = commonLines(base, mine).filter(([i]) => inTheirs.has(i));
  return [...shared.map(([i, j]) => [i, j, inTheirs.get(i)]), [base.length, mine.length, theirs.length]];
}

function mergeRegion(base, mine, theirs) {
  if (same(mine, theirs) || same(base, theirs)) return { lines: mine, conflict: false };
  if (same(base, mine)) return { lines: theirs, conflict: false };
  return { lines: conflictLines(mine, theirs), conflict: true };
}

function same(a, b) {
  return a.length === b.length && a.every((line, index) => line === b[index]);
}

/** Front matter of a merge: tags are united, an earlier `created` wins, other keys follow the side that changed them. */
export function mergeFields(base, mine, theirs) {
  let merged = new Map(mine);
  for (const [key, value] of theirs) {
    if (!mine.has(key) ? !base.has(key) : mine.get(key) === base.get(key)) merged.set(key, value);
  }
  for (const key of base.keys()) {
    if (!theirs.has(key) && mine.get(key) === base.get(key)) merged.delete(key);
  }
  const created = [mine.get('created'), theirs.get('created')].filter((day) => day !== undefined).sort();
  if (created.length > 0) merged.set('created', created[0]);
  const removed = listField(base, 'tags').filter(
    (tag) => !listField(mine, 'tags').includes(tag) || !listField(theirs, 'tags').includes(tag),
  );
  const united = new Set([...listField(mine, 'tags'), ...listField(theirs, 'tags')]);
  merged = withListField(merged, 'tags', [...united].filter((tag) => !removed.includes(tag)));
  return merged;
}

/** Text of a merged note, and the number of conflicts left in it. */
export function merge(base, mine, theirs) {
  const [o, a, b] = [base, mine, theirs].map((text) => splitFrontMatter(text));
  const { lines, conflicts } = mergeLines(o.body.split('\n'), a.body.split('\n'), b.body.split('\n'));
  return { text: joinFrontMatter(mergeFields(o.fields, a.fields, b.fields), lines.join('\n')), conflicts };
}
