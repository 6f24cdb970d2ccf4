import assert from 'node:assert/strict';
import { test } from 'node:test';

import { checkTag, findTags, isWithin, lineage, tagsOf } from '../src/tags/tags.js';
import { checkRenaming, describeRenaming, joinsTags, renameTag } from '../src/tags/rename.js';
import { printTree, relatedTags, tagTree } from '../src/tags/tree.js';
import { garden, note } from './helpers.js';

test('tags come from front matter and text, not from code', () => {
  const body = 'About #Garden/Tools and `#code`, c#minor, https://x.example/#anchor.\n```\n#fenced\n```\n#end';
  assert.deepEqual(findTags(body).map((found) => found.tag), ['garden/tools', 'end']);
  assert.deepEqual(tagsOf(new Map([['tags', 'end, Plan']]), body), ['end', 'garden/tools', 'plan']);
});

test('nesting', () => {
  assert.ok(isWithin('plan/spring', 'plan'));
  assert.ok(!isWithin('planet', 'plan'));
  assert.deepEqual(lineage('a/b/c'), ['a', 'a/b', 'a/b/c']);
  assert.throws(() => checkTag('two words'), /not a tag/);
});

test('tree and relations', () => {
  assert.deepEqual(printTree(tagTree(garden())), ['garden (3)', '  review (1)', 'money (1)', 'plan (1)', '  spring (1)']);
  assert.deepEqual(relatedTags(garden(), 'garden'), [{ name: 'plan/spring', count: 1 }]);
});

test('a plain renaming', () => {
  const changes = renameTag(garden(), 'money', 'finance');
  assert.deepEqual(changes.map((change) => change.after.tags), [['finance']]);
  assert.deepEqual(describeRenaming(changes), ['tax: 1 place', '1 notes, 1 places']);
});

test('renamings that make no sense', () => {
  assert.throws(() => checkRenaming('Plan', '#plan'), /same tag/);
  assert.throws(() => checkRenaming('plan', 'plan/old'), /lies within/);
  assert.ok(joinsTags([note('a', '#garden/tools')], 'garden'));
  assert.ok(!joinsTags([note('a', '#gardening')], 'garden'));
});
