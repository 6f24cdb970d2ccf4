import { slug } from '../text/slug.js';

/** Identifier of a note from the path of its file, relative to the notes folder. */
export function idOfPath(path) {
  return path.replace(/\\/g, '/').replace(/\.md$/i, '');
}

/** File path of an identifier. */
export function pathOfId(id) {
  return `${id}.md`;
}

/** Folder part of an identifier, empty at the top. */
export function folderOf(id) {
  const slash = id.lastIndexOf('/');
  return slash === -1 ? '' : id.slice(0, slash);
}

/** Last part of an identifier. */
export function nameOf(id) {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** A new identifier for a title; `-2`, `-3` are added until it is free. */
export function freshId(title, taken, folder = '') {
  const base = slug(title) || 'note';
  const prefix = folder === '' ? '' : `${folder}/`;
  let candidate = `${prefix}${base}`;
  for (let number = 2; taken.has(candidate); number += 1) {
    candidate = `${prefix}${base}-${number}`;
  }
  return candidate;
}
