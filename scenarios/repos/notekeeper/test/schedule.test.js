import assert from 'node:assert/strict';
import { test } from 'node:test';

import { addDays, addMonths, daysBetween, parseDay, weekStart } from '../src/schedule/dates.js';
import { dueNotes, nextReminder, occurrence, parseReminder } from '../src/schedule/reminders.js';
import { garden } from './helpers.js';

test('days', () => {
  assert.equal(parseDay(' 2024-02-29 '), '2024-02-29');
  for (const text of ['2023-02-29', '2024-2-1', 'today']) assert.throws(() => parseDay(text), /not a day/);
  assert.equal(addDays('2024-02-28', 2), '2024-03-01');
  assert.equal(addMonths('2024-01-31', 1), '2024-02-29');
  assert.equal(daysBetween('2024-03-30', '2024-04-01'), 2);
  assert.equal(weekStart('2024-03-03'), '2024-02-26');
});

test('reminders', () => {
  const monthly = parseReminder('2024-01-31 every 1m');
  assert.deepEqual([0, 1, 2].map((n) => occurrence(monthly, n)), ['2024-01-31', '2024-02-29', '2024-03-31']);
  assert.equal(nextReminder(parseReminder('2024-01-01 every 2w'), '2024-01-16'), '2024-01-29');
  assert.equal(nextReminder(parseReminder('2024-01-01'), '2024-01-02'), null);
  assert.throws(() => parseReminder('2024-01-01 every 0d'), /not a reminder/);
});

test('due notes', () => {
  assert.deepEqual(dueNotes(garden(), '2025-03-01'), ['seeds']);
  assert.deepEqual(dueNotes(garden(), '2025-03-02'), []);
});
