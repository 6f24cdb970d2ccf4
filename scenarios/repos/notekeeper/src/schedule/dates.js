import { SyntaxFault } from '../errors.js';

/** Checks an ISO day (`2024-02-29`) and returns it. Days are strings here: they compare and sort as they are. */
export function parseDay(text, where = null) {
  const day = text.trim();
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || fromUtc(toUtc(day)) !== day) throw new SyntaxFault('a day', text, where);
  return day;
}

function toUtc(day) {
  const [year, month, date] = day.split('-').map(Number);
  return Date.UTC(year, month - 1, date);
}

function fromUtc(time) {
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
}

/** A day some days later, or earlier. */
export function addDays(day, count) {
  return fromUtc(toUtc(day) + count * 86_400_000);
}

/** The same day some months later, or the last day of a month that is too short. */
export function addMonths(day, count) {
  const [year, month, date] = day.split('-').map(Number);
  const index = year * 12 + month - 1 + count;
  const [y, m] = [Math.floor(index / 12), index % 12];
  const last = new Date(Date.UTC(y, m + 1, 0)).getUTCDate();
  return fromUtc(Date.UTC(y, m, Math.min(date, last)));
}

/** Number of days from one day to another. */
export function daysBetween(from, to) {
  return Math.round((toUtc(to) - toUtc(from)) / 86_400_000);
}

/** Monday of the week in which a day lies. */
export function weekStart(day) {
  const weekday = (new Date(toUtc(day)).getUTCDay() + 6) % 7;
  return addDays(day, -weekday);
}
