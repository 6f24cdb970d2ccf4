import { matches, prepare } from './match.js';
import { parseQuery, queryWords, requiredWords } from './query.js';
import { byScore, score } from './rank.js';
import { excerpt } from '../text/excerpt.js';

/** Inverted index over notes: words lead to the notes that contain them. */
export class SearchIndex {
  #docs = new Map();
  #postings = new Map();

  constructor(notes = []) {
    for (const note of notes) this.add(note);
  }

  /** Adds a note, or replaces the one with the same identifier. */
  add(note) {
    this.remove(note.id);
    const doc = prepare(note);
    this.#docs.set(note.id, doc);
    for (const word of doc.words) {
      if (!this.#postings.has(word)) this.#postings.set(word, new Set());
      this.#postings.get(word).add(note.id);
    }
  }

  /** Removes a note; one that isn't there is fine. */
  remove(id) {
    const doc = this.#docs.get(id);
    if (doc === undefined) return;
    this.#docs.delete(id);
    for (const word of doc.words) this.#postings.get(word)?.delete(id);
  }

  /** Results of a query, the best first; equal ones by identifier. */
  search(text, { limit = 20, excerptLength = 160 } = {}) {
    const query = parseQuery(text);
    const words = queryWords(query);
    const ids = new Set(query.groups.flatMap((group) => [...this.#candidates(group)]));
    return [...ids]
      .map((id) => this.#docs.get(id))
      .filter((doc) => matches(doc, query))
      .map((doc) => ({ id: doc.note.id, title: doc.note.title, score: score(doc, words, this.#frequency) }))
      .sort(byScore)
      .slice(0, limit)
      .map((hit) => ({ ...hit, excerpt: excerpt(this.#docs.get(hit.id).note.body, words, excerptLength) }));
  }

  /** Notes that contain all required words of a group; all notes if there are none. */
  #candidates(group) {
    const lists = requiredWords(group).map((word) => this.#postings.get(word) ?? new Set());
    if (lists.length === 0) return this.#docs.keys();
    const [shortest, ...others] = lists.sort((a, b) => a.size - b.size);
    return [...shortest].filter((id) => others.every((list) => list.has(id)));
  }

  #frequency = (word) => ({ notes: this.#postings.get(word)?.size ?? 0, all: this.#docs.size });
}
