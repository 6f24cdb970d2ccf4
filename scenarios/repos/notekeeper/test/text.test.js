import assert from 'node:assert/strict';
import { test } from 'node:test';

import { blankCode, codeSpans } from '../src/text/code.js';
import { escapeRegExp, safeHref } from '../src/text/escape.js';
import { excerpt, plainText } from '../src/text/excerpt.js';
import { parseBlocks, renderMarkdown } from '../src/text/markdown.js';
import { Anchors, slug } from '../src/text/slug.js';
import { sequencePositions, tokenize } from '../src/text/tokenize.js';

const nowhere = () => null;

test('words lose case and accents', () => {
  assert.deepEqual(tokenize('Café, ÜBER e-mail 2024!'), ['cafe', 'uber', 'e', 'mail', '2024']);
  assert.deepEqual(sequencePositions(['a', 'b', 'a', 'b'], ['a', 'b']), [0, 2]);
});

test('slugs and anchors', () => {
  assert.equal(slug('  What’s new? (2024) '), 'what-s-new-2024');
  const anchors = new Anchors();
  assert.deepEqual(['Setup', 'setup', '???'].map((heading) => anchors.next(heading)), ['setup', 'setup-1', 'section']);
});

test('code spans end at a run of the same length', () => {
  assert.deepEqual(codeSpans('a `b` ``c ` d`` e'), [
    { start: 2, end: 5, ticks: 1 },
    { start: 6, end: 15, ticks: 2 },
  ]);
  assert.deepEqual(codeSpans('one ` alone'), []);
});

test('blanking keeps places', () => {
  const text = 'a `b` c\n```\nx\n```\nd';
  assert.equal(blankCode(text), 'a     c\n   \n \n   \nd');
});

test('blocks', () => {
  const kinds = parseBlocks('# A\ntext\nmore\n\n- one\n- two\n> q\n~~~\ncode\n~~~\nend').map((block) => block.kind);
  assert.deepEqual(kinds, ['heading', 'paragraph', 'list', 'quote', 'code', 'paragraph']);
});

test('rendering escapes and links', () => {
  const html = renderMarkdown('A **b** & `<c>` [[X|y]] [z](javascript:alert)', (target) => (target === 'X' ? 'x.html' : null));
  assert.equal(html, '<p>A <strong>b</strong> &amp; <code>&lt;c&gt;</code> <a href="x.html">y</a> <a href="#">z</a></p>');
  assert.equal(renderMarkdown('[[gone]]', nowhere), '<p><span class="missing">gone</span></p>');
  assert.equal(renderMarkdown('`[[gone]]`', nowhere), '<p><code>[[gone]]</code></p>');
});

test('excerpts are cut at spaces around the word', () => {
  const body = `${'one two three '.repeat(10)}needle ${'four five six '.repeat(10)}`;
  const text = excerpt(body, ['needle'], 60);
  assert.match(text, /^….*needle.*…$/);
  assert.ok(text.length <= 62);
  assert.equal(plainText('# T\n[[a|b]] *c* `d`'), 'T b c d');
});

test('escapes', () => {
  assert.match('a.b', new RegExp(`^${escapeRegExp('a.b')}$`));
  assert.doesNotMatch('axb', new RegExp(`^${escapeRegExp('a.b')}$`));
  assert.equal(safeHref(' https://x.example '), 'https://x.example');
});
