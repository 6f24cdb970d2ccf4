import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasConflicts, resolveConflicts } from '../src/sync/conflicts.js';
import { changes, commonLines, printDiff } from '../src/sync/diff.js';
import { merge, mergeLines } from '../src/sync/merge.js';

const lines = (text) => text.split(' ');

test('common lines and changed regions', () => {
  assert.deepEqual(commonLines(lines('a b c'), lines('b c d')), [[1, 0], [2, 1]]);
  assert.deepEqual(changes(lines('a b c'), lines('a x c d')), [
    { fromA: 1, toA: 2, fromB: 1, toB: 2 },
    { fromA: 3, toA: 3, fromB: 3, toB: 4 },
  ]);
  assert.equal(printDiff('a\nb', 'a\nc').join('|'), '@@ 2|-b|+c');
});

test('changes of one side are taken', () => {
  assert.deepEqual(mergeLines(lines('a b c d'), lines('a B c d'), lines('a b c d e')), { lines: lines('a B c d e'), conflicts: 0 });
});

test('the same change of both sides is taken once', () => {
  assert.deepEqual(mergeLines(lines('a b'), lines('a x b'), lines('a x b')), { lines: lines('a x b'), conflicts: 0 });
});

test('conflicts keep both versions', () => {
  const { text, conflicts } = merge('a\nb\nc', 'a\nx\nc', 'a\ny\nc');
  assert.equal(conflicts, 1);
  assert.ok(hasConflicts(text));
  assert.equal(resolveConflicts(text, 'mine'), 'a\nx\nc');
  assert.equal(resolveConflicts(text, 'theirs'), 'a\ny\nc');
});

test('front matter is merged by key', () => {
  const base = '---\ntags: a, b\ncreated: 2024-02-01\n---\nx';
  const mine = '---\ntags: b, c\ncreated: 2024-02-01\n---\nx';
  const theirs = '---\ntags: a, b, d\ncreated: 2024-01-01\nmood: fine\n---\nx';
  assert.equal(merge(base, mine, theirs).text, '---\ntags: b, c, d\ncreated: 2024-01-01\nmood: fine\n---\nx');
});
