import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exportHtml } from '../src/export/html.js';
import { LinkGraph } from '../src/graph/graph.js';
import { extractLinks, retarget } from '../src/graph/links.js';
import { note } from './helpers.js';

const HELP = note('help', 'Write `[[Title]]` to link, or ``[[Title|`label`]]``. Start at [[Home]].');
const HOME = note('home', '# Home\n\nThe syntax is in `[[help]]`.');

test('only real links are found', () => {
  assert.deepEqual(extractLinks(HELP.body).map((link) => link.target), ['Home']);
});

test('the graph has no ghosts', () => {
  const graph = new LinkGraph([HELP, HOME]);
  assert.deepEqual(graph.missing(), []);
  assert.deepEqual(graph.backlinks('help'), []);
  assert.deepEqual(graph.backlinks('home'), ['help']);
});

test('columns count from the start of the line', () => {
  assert.deepEqual(extractLinks('`x` [[a]]').map((link) => link.column), [5]);
});

test('a label may contain code', () => {
  assert.deepEqual(extractLinks('[[Setup|run `make`]]').map((link) => link.label), ['run `make`']);
});

test('renaming a note leaves examples alone', () => {
  assert.equal(retarget('`[[Home]]` is [[Home]]', 'Home', 'Start'), '`[[Home]]` is [[Start]]');
});

test('pages list real backlinks only', () => {
  const pages = exportHtml([HELP, HOME], { siteTitle: 'S', language: 'en' });
  assert.doesNotMatch(pages.find((page) => page.name === 'help.html').content, /Linked from/);
});
