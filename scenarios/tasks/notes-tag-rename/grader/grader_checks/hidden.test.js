import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseNote } from '../src/store/note.js';
import { renameInBody, renameInFields, renameTag } from '../src/tags/rename.js';

function rename(text, from, to) {
  const [change] = renameTag([parseNote('n', text)], from, to);
  return change ?? null;
}

test('nesting below a nested tag', () => {
  const { after } = rename('---\ntags: a/b, a/b/c, a/bc, a\n---\n#a/b/c/d #a/bc #a', 'a/b', 'x/y/z');
  assert.equal(after.fields.get('tags'), 'x/y/z, x/y/z/c, a/bc, a');
  assert.equal(after.body, '#x/y/z/c/d #a/bc #a');
});

test('case is ignored when looking, letters beyond ASCII count', () => {
  const { after } = rename('---\ntags: Öl/Ofen\n---\n#ÖL, #öl. #ölofen', 'öl', 'gas');
  assert.equal(after.fields.get('tags').toLowerCase(), 'gas/ofen');
  assert.equal(after.body, '#gas, #gas. #ölofen');
});

test('names that go on with a dash, an underscore or a digit are other tags', () => {
  const body = '#home-office #home_work #home2 #homes x#home /#home ##home &#home';
  assert.deepEqual(renameInBody(body, 'home', 'flat'), { body, places: 0 });
  assert.equal(renameInBody('(#home) "#home" #home!', 'home', 'flat').body, '(#flat) "#flat" #flat!');
});

test('code of every kind stays', () => {
  const body = '``#t ` #t`` `#t`\n```\n#t\n```\n~~~\n#t\n~~~\n#t/u `x` #t';
  const changed = renameInBody(body, 't', 'v');
  assert.equal(changed.body, '``#t ` #t`` `#t`\n```\n#t\n```\n~~~\n#t\n~~~\n#v/u `x` #v');
  assert.equal(changed.places, 2);
});

test('tags that become equal are kept once', () => {
  const fields = new Map([['tags', 'job/x, work, work/x, home'], ['title', 'T']]);
  const renamed = renameInFields(fields, 'work', 'job');
  assert.equal(renamed.fields.get('tags'), 'job/x, job, home');
  assert.equal(renamed.places, 2);
  assert.equal(fields.get('tags'), 'job/x, work, work/x, home');
});

test('notes without the tag are left alone', () => {
  assert.equal(rename('---\ntags: workshop, homework/work\n---\n#homework/work `#work`', 'work', 'job'), null);
});

test('the rest of the note survives byte for byte', () => {
  const text = '---\ntitle: A & B\nmood: fine\n---\n\n  two  spaces\t\n#work\n\n';
  const { before, after } = rename(text, 'work', 'job');
  assert.equal(after.body, before.body.replace('#work', '#job'));
  assert.deepEqual([...after.fields], [...before.fields]);
  assert.deepEqual(after.tags, ['job']);
});
