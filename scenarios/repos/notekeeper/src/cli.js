#!/usr/bin/env node
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

import { NoSuchNote, NoteError } from './errors.js';
import { exportHtml } from './export/html.js';
import { exportJson } from './export/json.js';
import { LinkGraph } from './graph/graph.js';
import { LinkResolver } from './graph/links.js';
import { dueNotes } from './schedule/reminders.js';
import { parseDay } from './schedule/dates.js';
import { SearchIndex } from './search/index.js';
import { Store } from './store/store.js';
import { describeRenaming, joinsTags, renameTag } from './tags/rename.js';
import { printTree, tagTree } from './tags/tree.js';

const USAGE = `usage: notes --dir DIR COMMAND
commands: search QUERY | backlinks NOTE | orphans | missing | tags | rename-tag OLD NEW [--dry-run] [--join]
          due DAY | export DIR | dump`;

const COMMANDS = {
  async search(store, [query]) {
    const { searchLimit, excerptLength } = store.config;
    const hits = new SearchIndex(await store.all()).search(query, { limit: searchLimit, excerptLength });
    return hits.map((hit) => `${hit.id}  ${hit.title}\n    ${hit.excerpt}`);
  },
  async backlinks(store, [name]) {
    const notes = await store.all();
    const note = new LinkResolver(notes).resolve(name);
    if (note === null) throw new NoSuchNote(name);
    return new LinkGraph(notes).backlinks(note.id);
  },
  async orphans(store) {
    return new LinkGraph(await store.all()).orphans();
  },
  async missing(store) {
    return new LinkGraph(await store.all()).missing().map(({ target, from }) => `${target}  (${from.join(', ')})`);
  },
  async tags(store) {
    return printTree(tagTree(await store.all()));
  },
  async 'rename-tag'(store, [from, to], options) {
    const notes = await store.all();
    if (joinsTags(notes, to) && !options.join) throw new NoteError(`"${to}" is in use: add --join to join both tags`);
    const changes = renameTag(notes, from, to);
    if (!options['dry-run']) for (const change of changes) await store.write(change.after);
    return describeRenaming(changes);
  },
  async due(store, [day]) {
    return dueNotes(await store.all(), parseDay(day));
  },
  async export(store, [folder]) {
    await mkdir(folder, { recursive: true });
    const pages = exportHtml(await store.all(), store.config);
    for (const { name, content } of pages) await writeFile(path.join(folder, name), content, 'utf8');
    return [`${pages.length} pages`];
  },
  async dump(store) {
    return [exportJson(await store.all()).trimEnd()];
  },
};

const NEEDS = { search: 1, backlinks: 1, 'rename-tag': 2, due: 1, export: 1 };

/** Runs a command; returns the exit code. */
export async function main(argv, print = console.log, complain = console.error) {
  const options = { dir: { type: 'string', default: '.' }, 'dry-run': { type: 'boolean' }, join: { type: 'boolean' } };
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    const [name, ...rest] = positionals;
    if (!Object.hasOwn(COMMANDS, name ?? '') || rest.length !== (NEEDS[name] ?? 0)) {
      complain(USAGE);
      return 2;
    }
    const lines = await COMMANDS[name](await Store.open(values.dir), rest, values);
    for (const line of lines) print(line);
    return 0;
  } catch (fault) {
    if (!(fault instanceof NoteError) && fault.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw fault;
    complain(`notes: ${fault.message}`);
    return 1;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = await main(process.argv.slice(2));
}
