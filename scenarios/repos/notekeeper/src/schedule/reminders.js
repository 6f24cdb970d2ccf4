import { SyntaxFault } from '../errors.js';
import { addDays, addMonths, parseDay } from './dates.js';

const EVERY = /^(\S+)(?:\s+every\s+(\d+)([dwmy]))?$/;

/** Reads `2024-03-01` or `2024-03-01 every 2w`. */
export function parseReminder(text, where = null) {
  const match = EVERY.exec(text.trim());
  if (!match) throw new SyntaxFault('a reminder', text, where);
  const [, first, count, unit] = match;
  if (count !== undefined && Number(count) === 0) throw new SyntaxFault('a reminder', text, where);
  return { first: parseDay(first, where), every: count === undefined ? null : { count: Number(count), unit } };
}

/** The nth time of a reminder, counted from the first one so that the 31st comes back after February. */
export function occurrence({ first, every }, n) {
  if (every === null) return n === 0 ? first : null;
  const steps = every.count * n;
  switch (every.unit) {
    case 'd':
      return addDays(first, steps);
    case 'w':
      return addDays(first, steps * 7);
    case 'm':
      return addMonths(first, steps);
    default:
      return addMonths(first, steps * 12);
  }
}

/** First time on or after a day, or null. */
export function nextReminder(reminder, day) {
  for (let n = 0; ; n += 1) {
    const at = occurrence(reminder, n);
    if (at === null || at >= day) return at;
  }
}

/** Notes whose reminder falls on a day, by identifier. */
export function dueNotes(notes, day) {
  return notes
    .filter((note) => note.fields.has('remind'))
    .filter((note) => nextReminder(parseReminder(note.fields.get('remind'), note.id), day) === day)
    .map((note) => note.id)
    .sort();
}
