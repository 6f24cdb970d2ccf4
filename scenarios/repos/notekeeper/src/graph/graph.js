import { LinkResolver, extractLinks } from './links.js';

/** Who links to whom. */
export class LinkGraph {
  #out = new Map();
  #in = new Map();
  #missing = new Map();

  constructor(notes) {
    const resolver = new LinkResolver(notes);
    for (const note of notes) {
      this.#out.set(note.id, new Set());
      this.#in.set(note.id, new Set());
    }
    for (const note of notes) {
      for (const link of extractLinks(note.body)) this.#connect(note, link, resolver.resolve(link.target));
    }
  }

  #connect(note, link, target) {
    if (target === null) {
      if (!this.#missing.has(link.target)) this.#missing.set(link.target, new Set());
      this.#missing.get(link.target).add(note.id);
    } else if (target.id !== note.id) {
      this.#out.get(note.id).add(target.id);
      this.#in.get(target.id).add(note.id);
    }
  }

  /** Identifiers a note links to, sorted. */
  links(id) {
    return [...(this.#out.get(id) ?? [])].sort();
  }

  /** Identifiers of notes that link to a note, sorted. */
  backlinks(id) {
    return [...(this.#in.get(id) ?? [])].sort();
  }

  /** Notes without any link from or to them, sorted. */
  orphans() {
    return [...this.#out.keys()].filter((id) => this.#out.get(id).size + this.#in.get(id).size === 0).sort();
  }

  /** Targets that lead nowhere, with the notes that name them: both sorted. */
  missing() {
    return [...this.#missing]
      .map(([target, from]) => ({ target, from: [...from].sort() }))
      .sort((a, b) => (a.target < b.target ? -1 : 1));
  }

  /** Notes within some steps of a note, in either direction, without the note itself; the nearest first. */
  neighbourhood(id, steps) {
    const seen = new Map([[id, 0]]);
    let frontier = [id];
    for (let step = 1; step <= steps; step += 1) {
      const next = frontier.flatMap((at) => [...this.links(at), ...this.backlinks(at)]).filter((to) => !seen.has(to));
      frontier = [...new Set(next)].sort();
      for (const reached of frontier) seen.set(reached, step);
    }
    seen.delete(id);
    return [...seen].map(([note, distance]) => ({ note, distance }));
  }
}
