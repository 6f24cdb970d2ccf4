import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { DEFAULTS, readConfig } from '../src/config.js';
import { NoSuchNote, NoteError, SyntaxFault } from '../src/errors.js';
import { joinFrontMatter, splitFrontMatter, withListField } from '../src/store/frontmatter.js';
import { folderOf, freshId, idOfPath } from '../src/store/ids.js';
import { Store } from '../src/store/store.js';
import { expired, parseTrashName, trashName } from '../src/store/trash.js';
import { note } from './helpers.js';

test('front matter survives a round trip, unknown keys too', () => {
  const text = '---\ntitle: A\nmood: fine\n---\nBody\n---\nmore';
  const { fields, body } = splitFrontMatter(text);
  assert.equal(fields.get('mood'), 'fine');
  assert.equal(joinFrontMatter(fields, body), text);
  assert.throws(() => splitFrontMatter('---\ntitle: A\n', 'x'), SyntaxFault);
  assert.equal(withListField(fields, 'tags', ['a', 'b']).get('tags'), 'a, b');
});

test('titles', () => {
  assert.equal(note('my-first_note', 'text').title, 'my first note');
  assert.equal(note('x', 'text\n\n## Sub ##\n# Real #\n').title, 'Real');
});

test('identifiers', () => {
  assert.equal(idOfPath('a\\b.md'), 'a/b');
  assert.equal(folderOf('a/b/c'), 'a/b');
  assert.equal(freshId('Plan B', new Set(['plan-b', 'plan-b-2'])), 'plan-b-3');
});

test('trash names', () => {
  const name = trashName('a/b', '2024-01-31');
  assert.deepEqual(parseTrashName(name), { day: '2024-01-31', id: 'a/b' });
  assert.deepEqual(expired([name, 'other.md'], '2024-03-02', 30), [name]);
  assert.deepEqual(expired([name], '2024-03-01', 30), []);
});

test('settings', () => {
  assert.deepEqual(readConfig('{"searchLimit": 5}'), { ...DEFAULTS, searchLimit: 5 });
  assert.throws(() => readConfig('{"limit": 5}'), /known setting/);
  assert.throws(() => readConfig('{"searchLimit": 0}'), /searchLimit/);
});

test('reading, writing and removing files', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'notes-'));
  try {
    const store = await Store.open(root);
    await store.write(note('sub/a', '---\ntitle: A\n---\nx'));
    await writeFile(path.join(root, 'readme.txt'), 'not a note');
    assert.deepEqual(await store.ids(), ['sub/a']);
    assert.equal((await store.read('sub/a')).title, 'A');
    assert.equal(await readFile(path.join(root, 'sub/a.md'), 'utf8'), '---\ntitle: A\n---\nx');
    await store.remove('sub/a', '2024-01-01');
    assert.deepEqual(await store.ids(), []);
    await assert.rejects(store.read('sub/a'), NoSuchNote);
    await assert.rejects(store.read('../a'), NoteError);
  } finally {
    await rm(root, { recursive: true });
  }
});
