/** Everything that notekeeper throws on purpose. */
export class NoteError extends Error {
  constructor(message, where = null) {
    super(where === null ? message : `${where}: ${message}`);
    this.name = 'NoteError';
    this.where = where;
  }
}

/** A note that doesn't exist. */
export class NoSuchNote extends NoteError {
  constructor(name) {
    super(`no note "${name}"`);
    this.name = 'NoSuchNote';
  }
}

/** A query, tag, date or front matter that can't be read. */
export class SyntaxFault extends NoteError {
  constructor(what, text, where = null) {
    super(`not ${what}: ${JSON.stringify(text)}`, where);
    this.name = 'SyntaxFault';
  }
}
