import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { DEFAULTS, readConfig } from '../config.js';
import { NoSuchNote, NoteError } from '../errors.js';
import { idOfPath, pathOfId } from './ids.js';
import { parseNote, serializeNote } from './note.js';
import { trashName } from './trash.js';

/** The notes of a folder. All reading and writing of files is in here. */
export class Store {
  constructor(root, config = DEFAULTS) {
    this.root = root;
    this.config = config;
  }

  /** Opens a folder with its settings. */
  static async open(root) {
    try {
      return new Store(root, readConfig(await readFile(path.join(root, 'notekeeper.json'), 'utf8')));
    } catch (fault) {
      if (fault.code === 'ENOENT') return new Store(root);
      throw fault;
    }
  }

  /** Identifiers of all notes, sorted. */
  async ids() {
    const found = [];
    await this.#walk('', found);
    return found.sort();
  }

  async #walk(folder, found) {
    const entries = await readdir(path.join(this.root, folder), { withFileTypes: true });
    for (const entry of entries) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith('.') || this.config.exclude.includes(relative)) continue;
      if (entry.isDirectory()) await this.#walk(relative, found);
      else if (entry.isFile() && entry.name.endsWith('.md')) found.push(idOfPath(relative));
    }
  }

  /** One note. */
  async read(id) {
    try {
      return parseNote(id, await readFile(this.#file(id), 'utf8'));
    } catch (fault) {
      if (fault.code === 'ENOENT') throw new NoSuchNote(id);
      throw fault;
    }
  }

  /** All notes, by identifier. */
  async all() {
    const notes = [];
    for (const id of await this.ids()) notes.push(await this.read(id));
    return notes;
  }

  /** Writes a note: to a temporary file first, then under its name. */
  async write(note) {
    const file = this.#file(note.id);
    await mkdir(path.dirname(file), { recursive: true });
    const temporary = `${file}.tmp`;
    await writeFile(temporary, serializeNote(note), 'utf8');
    await rename(temporary, file);
  }

  /** Moves a note to the trash. */
  async remove(id, day) {
    const target = path.join(this.root, 'trash', trashName(id, day));
    await mkdir(path.dirname(target), { recursive: true });
    await rename(this.#file(id), target);
  }

  #file(id) {
    const file = path.resolve(this.root, pathOfId(id));
    if (!file.startsWith(path.resolve(this.root) + path.sep)) {
      throw new NoteError('a note must lie in the notes folder', id);
    }
    return file;
  }
}
