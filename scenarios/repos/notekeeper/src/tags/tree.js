import { lineage } from './tags.js';

/**
 * Tags as a tree, with the number of notes in each: a note counts once in every tag it lies within.
 * Children are sorted by name.
 */
export function tagTree(notes) {
  const counts = new Map();
  for (const note of notes) {
    const within = new Set(note.tags.flatMap(lineage));
    for (const tag of within) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const root = { name: '', tag: '', count: notes.length, children: [] };
  const nodes = new Map([['', root]]);
  for (const tag of [...counts.keys()].sort()) {
    const slash = tag.lastIndexOf('/');
    const node = { name: tag.slice(slash + 1), tag, count: counts.get(tag), children: [] };
    nodes.set(tag, node);
    nodes.get(slash === -1 ? '' : tag.slice(0, slash)).children.push(node);
  }
  return root;
}

/** The tree as indented lines. */
export function printTree(node, depth = 0) {
  return node.children.flatMap((child) => [
    `${'  '.repeat(depth)}${child.name} (${child.count})`,
    ...printTree(child, depth + 1),
  ]);
}

/** Tags that occur together with a tag, the most frequent first, then by name. */
export function relatedTags(notes, tag) {
  const counts = new Map();
  for (const note of notes.filter((candidate) => candidate.tags.includes(tag))) {
    for (const other of note.tags) {
      if (other !== tag) counts.set(other, (counts.get(other) ?? 0) + 1);
    }
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name, count]) => ({ name, count }));
}
