import assert from 'node:assert/strict';
import { test } from 'node:test';

import { renameTag } from '../src/tags/rename.js';
import { note } from './helpers.js';

function rename(text, from, to) {
  const [change] = renameTag([note('n', text)], from, to);
  return change === undefined ? null : change.after;
}

test('nested tags move along, in front matter and in the text', () => {
  const after = rename('---\ntags: work, work/todo, home\n---\nCall back #work/todo/today, then #work.', 'work', 'job');
  assert.equal(after.fields.get('tags'), 'job, job/todo, home');
  assert.equal(after.body, 'Call back #job/todo/today, then #job.');
  assert.deepEqual(after.tags, ['home', 'job', 'job/todo', 'job/todo/today']);
});

test('tags that only begin alike stay', () => {
  const after = rename('#workshop and #work and #work-life', 'work', 'job');
  assert.equal(after.body, '#workshop and #job and #work-life');
  assert.equal(rename('Only a #workshop here.', 'work', 'job'), null);
});

test('code and addresses stay', () => {
  const after = rename('Use `#work` as in https://x.example/#work for #work.', 'work', 'job');
  assert.equal(after.body, 'Use `#work` as in https://x.example/#work for #job.');
});

test('places are counted', () => {
  const [change] = renameTag([note('n', '---\ntags: work/todo\n---\n#work')], 'work', 'job');
  assert.equal(change.places, 2);
});
