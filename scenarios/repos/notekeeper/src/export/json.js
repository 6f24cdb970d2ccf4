import { LinkGraph } from '../graph/graph.js';
import { plainText } from '../text/excerpt.js';

/** All notes with their links as one JSON document: for other programs. */
export function exportJson(notes) {
  const graph = new LinkGraph(notes);
  const items = notes.map((note) => ({
    id: note.id,
    title: note.title,
    tags: note.tags,
    created: note.created,
    fields: Object.fromEntries(note.fields),
    text: plainText(note.body),
    links: graph.links(note.id),
    backlinks: graph.backlinks(note.id),
  }));
  return `${JSON.stringify({ version: 1, notes: items, missing: graph.missing() }, null, 2)}\n`;
}
