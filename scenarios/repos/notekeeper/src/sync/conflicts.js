const OPEN = '<<<<<<< mine';
const MIDDLE = '=======';
const CLOSE = '>>>>>>> theirs';

/** Both versions of a region between marks. */
export function conflictLines(mine, theirs) {
  return [OPEN, ...mine, MIDDLE, ...theirs, CLOSE];
}

/** True if a text has conflicts left in it. */
export function hasConflicts(text) {
  const lines = text.split('\n');
  return lines.includes(OPEN) && lines.includes(CLOSE);
}

/** The text with one side chosen in every conflict: `mine` or `theirs`. */
export function resolveConflicts(text, side) {
  const kept = [];
  let within = null;
  for (const line of text.split('\n')) {
    if (line === OPEN) within = 'mine';
    else if (within === 'mine' && line === MIDDLE) within = 'theirs';
    else if (within === 'theirs' && line === CLOSE) within = null;
    else if (within === null || within === side) kept.push(line);
  }
  return kept.join('\n');
}
