import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SearchIndex } from '../src/search/index.js';
import { parseQuery, queryWords } from '../src/search/query.js';
import { garden } from './helpers.js';

function find(query) {
  return new SearchIndex(garden()).search(query).map((hit) => hit.id);
}

test('a word with a minus in front must not occur', () => {
  assert.deepEqual(find('peas'), ['beds', 'seeds']);
  assert.deepEqual(find('peas -beans'), ['beds']);
});

test('tags and phrases can be excluded as well', () => {
  assert.deepEqual(find('tag:garden -tag:plan').sort(), ['archive/2023', 'seeds']);
  assert.deepEqual(find('peas -"seed list"'), []);
});

test('a query may consist of exclusions only', () => {
  assert.deepEqual(find('-tag:garden'), ['tax']);
});

test('a dash within a word is no exclusion', () => {
  assert.deepEqual(find('e-mail'), ['tax']);
});

test('excluded words are not highlighted', () => {
  assert.deepEqual(queryWords(parseQuery('peas -beans')), ['peas']);
});
