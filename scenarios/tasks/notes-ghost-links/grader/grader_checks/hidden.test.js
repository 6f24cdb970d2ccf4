import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exportJson } from '../src/export/json.js';
import { LinkGraph } from '../src/graph/graph.js';
import { extractLinks, retarget } from '../src/graph/links.js';
import { parseNote } from '../src/store/note.js';

const targets = (body) => extractLinks(body).map((link) => link.target);

test('spans of any number of backticks', () => {
  assert.deepEqual(targets('``a ` [[x]]`` [[b]] ```[[y]]``` `[[z]] `` [[w]]` [[c]]'), ['b', 'c']);
});

test('a backtick without a partner hides nothing', () => {
  assert.deepEqual(targets('5` wide, [[a]]\nnext ` line [[b]] ``'), ['a', 'b']);
});

test('fences still hide their lines', () => {
  assert.deepEqual(targets('[[a]]\n~~~~\n[[b]]\n~~~\n[[c]]\n~~~~\n[[d]]\n```js\n[[e]]'), ['a', 'd']);
});

test('places are those of the original text', () => {
  const links = extractLinks('```\nx\n```\n`a` and ``b`` then [[c#d|e]] and [[f]]');
  assert.deepEqual(links, [
    { target: 'c', heading: 'd', label: 'e', line: 4, column: 20 },
    { target: 'f', heading: null, label: null, line: 4, column: 34 },
  ]);
});

test('labels keep their code', () => {
  const [first, second] = extractLinks('[[a|see `x` and `y`]] [[b#c| `z` ]]');
  assert.equal(first.label, 'see `x` and `y`');
  assert.deepEqual([second.target, second.heading, second.label], ['b', 'c', '`z`']);
  assert.deepEqual(extractLinks('[[a]] [[b|]]').map((link) => link.label), [null, null]);
});

test('retargeting', () => {
  const body = '`[[Old]]` [[Old|`cmd`]] ``[[Old]]``\n[[old#H]] `code` [[Old]]';
  assert.equal(retarget(body, 'Old', 'New'), '`[[Old]]` [[New|`cmd`]] ``[[Old]]``\n[[New#H]] `code` [[New]]');
});

test('graph and export agree', () => {
  const notes = [parseNote('a', 'Type `[[b]]` or `[[nowhere]]`, go to [[c]].'), parseNote('b', '`[[a]]`'), parseNote('c', 'end')];
  const graph = new LinkGraph(notes);
  assert.deepEqual(graph.links('a'), ['c']);
  assert.deepEqual(graph.orphans(), ['b']);
  const data = JSON.parse(exportJson(notes));
  assert.deepEqual(data.missing, []);
  assert.deepEqual(data.notes.map((note) => note.backlinks), [[], [], ['a']]);
});
