import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SearchIndex } from '../src/search/index.js';
import { failing, prepare } from '../src/search/match.js';
import { parseQuery, printQuery, queryWords } from '../src/search/query.js';
import { parseNote } from '../src/store/note.js';

const NOTES = [
  parseNote('soup', '---\ntags: food/warm\ncreated: 2024-01-05\n---\n# Leek soup\nLeeks and potatoes, slow cooked.'),
  parseNote('salad', '---\ntags: food/cold\ncreated: 2024-02-05\n---\n# Potato salad\nPotatoes, pickles, no leeks.'),
  parseNote('old/stew', '---\ntags: foodie\ncreated: 2023-12-01\n---\n# Stew\nSlow potatoes and cooked beef. Self-service.'),
];

const find = (query) => new SearchIndex(NOTES).search(query).map((hit) => hit.id).sort();

test('words', () => {
  assert.deepEqual(find('potatoes -leeks'), ['old/stew']);
  assert.deepEqual(find('-leeks potatoes'), ['old/stew']);
  assert.deepEqual(find('-LÉEKS potatoes'), ['old/stew']);
  assert.deepEqual(find('potatoes -leeks -beef'), []);
  assert.deepEqual(find('potatoes -turnips'), ['old/stew', 'salad', 'soup']);
});

test('phrases are excluded as phrases', () => {
  assert.deepEqual(find('potatoes -"slow cooked"'), ['old/stew', 'salad']);
  assert.deepEqual(find('potatoes -"cooked slow"'), ['old/stew', 'salad', 'soup']);
  assert.deepEqual(find('potatoes -self-service'), ['salad', 'soup']);
});

test('every field can be excluded', () => {
  assert.deepEqual(find('potatoes -tag:food'), ['old/stew']);
  assert.deepEqual(find('potatoes -title:"potato salad"'), ['old/stew', 'soup']);
  assert.deepEqual(find('potatoes -in:old'), ['salad', 'soup']);
  assert.deepEqual(find('potatoes -before:2024-01-01'), ['salad', 'soup']);
  assert.deepEqual(find('-after:2024-01-05'), ['old/stew', 'soup']);
  assert.throws(() => parseQuery('-before:soon'), /not a day/);
});

test('exclusions alone, and in alternatives', () => {
  assert.deepEqual(find('-leeks'), ['old/stew']);
  assert.deepEqual(find('-tag:food/warm'), ['old/stew', 'salad']);
  assert.deepEqual(find('beef OR leeks -pickles'), ['old/stew', 'soup']);
  assert.deepEqual(find('-potatoes OR -leeks'), ['old/stew']);
});

test('dashes that exclude nothing', () => {
  assert.deepEqual(find('self-service'), ['old/stew']);
  assert.deepEqual(find('potatoes - leeks'), ['salad', 'soup']);
  assert.deepEqual(find('-'), []);
});

test('only wanted words count for ranking and highlighting', () => {
  assert.deepEqual(queryWords(parseQuery('potatoes -leeks -"slow cooked" -title:stew title:soup')), ['potatoes', 'soup']);
  const [plain] = new SearchIndex(NOTES).search('beef');
  const [excluding] = new SearchIndex(NOTES).search('beef -leeks');
  assert.ok(excluding.score <= plain.score && excluding.id === plain.id);
});

test('why a note is not found', () => {
  const clauses = failing(prepare(NOTES[0]), parseQuery('leeks -potatoes -beef tag:food'));
  assert.deepEqual(clauses.map((clause) => clause.words), [['potatoes']]);
});

test('printing keeps the minus', () => {
  assert.equal(printQuery(parseQuery('a -b -"c d" -tag:x -in:y')), 'a -b -"c d" -tag:x -in:y');
});
