import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LinkGraph } from '../src/graph/graph.js';
import { LinkResolver, extractLinks, retarget } from '../src/graph/links.js';
import { garden, note } from './helpers.js';

test('the parts of a link', () => {
  assert.deepEqual(extractLinks('x\nsee [[Bed plan#North side|the north]] and [[tax]]'), [
    { target: 'Bed plan', heading: 'North side', label: 'the north', line: 2, column: 5 },
    { target: 'tax', heading: null, label: null, line: 2, column: 43 },
  ]);
  assert.deepEqual(extractLinks('[[ ]] [[a\nb]] [single]'), []);
});

test('code blocks have no links', () => {
  assert.deepEqual(extractLinks('```\n[[a]]\n```\n~~~ md\n[[b]]'), []);
});

test('identifiers win over titles, titles are compared loosely', () => {
  const notes = [note('b', '# Seed list'), note('a', '# Seed  List!'), note('seed-list', '# Other')];
  const resolver = new LinkResolver(notes);
  assert.equal(resolver.resolve('seed list').id, 'a');
  assert.equal(resolver.resolve('seed-list').id, 'seed-list');
  assert.ok(resolver.isAmbiguous('Seed list'));
  assert.equal(resolver.resolve('nothing'), null);
});

test('backlinks, orphans, missing', () => {
  const graph = new LinkGraph([...garden(), note('plan', '[[Bed plan]] [[Compost]] [[plan]]')]);
  assert.deepEqual(graph.backlinks('beds'), ['plan', 'seeds']);
  assert.deepEqual(graph.orphans(), ['archive/2023', 'tax']);
  assert.deepEqual(graph.missing(), [{ target: 'Compost', from: ['plan'] }]);
  assert.deepEqual(graph.neighbourhood('plan', 2), [
    { note: 'beds', distance: 1 },
    { note: 'seeds', distance: 2 },
  ]);
});

test('renaming a note takes its links along', () => {
  const body = 'To [[Bed plan#N|x]], [[other]] and [[bed  plan]].';
  assert.equal(retarget(body, 'Bed plan', 'Beds'), 'To [[Beds#N|x]], [[other]] and [[Beds]].');
});
