import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { main } from '../src/cli.js';
import { serializeNote } from '../src/store/note.js';
import { garden } from './helpers.js';

let dir;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'notes-cli-'));
  for (const note of garden()) {
    if (!note.id.includes('/')) await writeFile(path.join(dir, `${note.id}.md`), serializeNote(note));
  }
});

after(() => rm(dir, { recursive: true }));

async function run(...args) {
  const out = [];
  const err = [];
  const code = await main(['--dir', dir, ...args], (line) => out.push(line), (line) => err.push(line));
  return { code, out, err };
}

test('search', async () => {
  const { code, out } = await run('search', 'receipts');
  assert.equal(code, 0);
  assert.deepEqual(out, ['tax  tax\n    Receipts for the accountant, sent by e-mail.']);
});

test('backlinks by title', async () => {
  assert.deepEqual((await run('backlinks', 'Seed list')).out, ['beds']);
});

test('a dry run writes nothing', async () => {
  const { out } = await run('rename-tag', 'money', 'finance', '--dry-run');
  assert.deepEqual(out, ['tax: 1 place', '1 notes, 1 places']);
  assert.match(await readFile(path.join(dir, 'tax.md'), 'utf8'), /tags: money/);
});

test('joining tags has to be asked for', async () => {
  const { code, err } = await run('rename-tag', 'money', 'garden');
  assert.equal(code, 1);
  assert.deepEqual(err, ['notes: "garden" is in use: add --join to join both tags']);
});

test('faults', async () => {
  assert.equal((await run('dance')).code, 2);
  assert.equal((await run('search')).code, 2);
  assert.deepEqual((await run('backlinks', 'Nothing')).err, ['notes: no note "Nothing"']);
  assert.equal((await run('orphans', '--loud')).code, 1);
});
