import assert from 'node:assert/strict';
import { test } from 'node:test';

import { highlightHtml, highlightTerminal } from '../src/search/highlight.js';
import { SearchIndex } from '../src/search/index.js';
import { failing, prepare } from '../src/search/match.js';
import { lex, parseQuery, printQuery, queryWords } from '../src/search/query.js';
import { rarity } from '../src/search/rank.js';
import { garden, note } from './helpers.js';

function find(query) {
  return new SearchIndex(garden()).search(query).map((hit) => hit.id);
}

test('words, phrases, fields', () => {
  assert.deepEqual(find('peas'), ['beds', 'seeds']);
  assert.deepEqual(find('"bed plan"'), ['beds']);
  assert.deepEqual(find('tag:plan'), ['beds']);
  assert.deepEqual(find('title:"seed list"'), ['seeds']);
  assert.deepEqual(find('in:archive'), ['archive/2023']);
  assert.deepEqual(find('after:2024-01-10'), ['beds']);
  assert.deepEqual(find('before:2024-01-10'), []);
});

test('all clauses must hold, OR separates alternatives', () => {
  assert.deepEqual(find('peas tag:plan'), ['beds']);
  assert.deepEqual(find('tomatoes OR receipts').sort(), ['archive/2023', 'tax']);
  assert.deepEqual(find(''), []);
});

test('the last word matches as a prefix', () => {
  assert.deepEqual(find('tomat'), ['archive/2023']);
  assert.deepEqual(find('tomat tag:garden'), []);
});

test('words with punctuation', () => {
  assert.deepEqual(find('e-mail'), ['tax']);
  assert.deepEqual(find('!!!'), []);
});

test('the parts of a query', () => {
  const pieces = lex('a tag:b "c d').map(({ field, text, quoted }) => [field, text, quoted]);
  assert.deepEqual(pieces, [[null, 'a', false], ['tag', 'b', false], [null, 'c d', true]]);
  assert.equal(printQuery(parseQuery('Peas  title:Seed "bed  plan" OR in:/archive/')), 'peas title:seed "bed plan" OR in:archive');
  assert.deepEqual(queryWords(parseQuery('peas peas tag:x title:beds')), ['peas', 'beds']);
  assert.throws(() => parseQuery('before:yesterday'), /not a day/);
  assert.throws(() => parseQuery('tag:'), /not a tag/);
});

test('why a note is not found', () => {
  const missing = failing(prepare(garden()[0]), parseQuery('peas carrots tag:garden'));
  assert.deepEqual(missing.map((clause) => clause.words ?? clause.value), [['carrots']]);
});

test('ranking and index maintenance', () => {
  assert.ok(rarity({ notes: 1, all: 100 }) > rarity({ notes: 50, all: 100 }));
  const index = new SearchIndex(garden());
  index.add(note('tax', 'nothing left'));
  assert.deepEqual(index.search('receipts'), []);
  index.remove('beds');
  index.remove('beds');
  assert.deepEqual(index.search('peas').map((hit) => hit.id), ['seeds']);
});

test('highlighting', () => {
  assert.equal(highlightHtml('A bed plan <x> Bed', ['bed', 'plan']), 'A <mark>bed plan</mark> &lt;x&gt; <mark>Bed</mark>');
  assert.equal(highlightTerminal('a b', ['b']), 'a \u001b[1mb\u001b[22m');
});
