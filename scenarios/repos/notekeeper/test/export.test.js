import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exportHtml, pageName } from '../src/export/html.js';
import { exportJson } from '../src/export/json.js';
import { garden, note } from './helpers.js';

test('a page for each note and an index', () => {
  const pages = exportHtml(garden(), { siteTitle: 'My <notes>', language: 'en' });
  assert.deepEqual(pages.map((page) => page.name), ['index.html', 'beds.html', 'seeds.html', 'archive--2023.html', 'tax.html']);
  assert.match(pages[0].content, /My &lt;notes&gt;/);
  assert.match(pages[1].content, /<footer>Linked from <a href="seeds.html">Seed list<\/a><\/footer>/);
  assert.match(pages[1].content, /class="tags">#garden #plan\/spring</);
});

test('links lead to pages', () => {
  const [, page] = exportHtml([note('a/b', '[[a/b#Some part|here]]')], { siteTitle: 'S', language: 'en' });
  assert.equal(page.name, pageName('a/b'));
  assert.match(page.content, /<a href="a--b.html#some-part">here<\/a>/);
});

test('JSON', () => {
  const data = JSON.parse(exportJson(garden()));
  assert.equal(data.notes[0].text, 'Peas next to Seed list.');
  assert.deepEqual(data.notes[1].links, ['beds']);
});
