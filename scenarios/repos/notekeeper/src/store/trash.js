import { addDays, parseDay } from '../schedule/dates.js';

const NAME = /^(\d{4}-\d{2}-\d{2})~(.+)\.md$/;

/** Name of a removed note's file in the trash: the day, then the identifier with `~` for folders. */
export function trashName(id, day) {
  return `${parseDay(day)}~${id.replaceAll('/', '~')}.md`;
}

/** Day and identifier of a file in the trash, or nothing if it isn't one of ours. */
export function parseTrashName(name) {
  const match = NAME.exec(name);
  return match ? { day: match[1], id: match[2].replaceAll('~', '/') } : null;
}

/** Names that have been in the trash for more than a number of days. */
export function expired(names, today, days) {
  const limit = addDays(parseDay(today), -days);
  return names.filter((name) => {
    const entry = parseTrashName(name);
    return entry !== null && entry.day < limit;
  });
}
