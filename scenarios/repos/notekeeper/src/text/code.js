const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Lines of a text with a mark for those between (and including) code fences. An open fence runs to the end. */
export function markFences(text) {
  let fence = null;
  return text.split('\n').map((line) => {
    const match = FENCE.exec(line);
    if (fence === null) {
      if (match) fence = match[1];
      return { line, code: match !== null };
    }
    const closes = match && match[1][0] === fence[0] && match[1].length >= fence.length;
    if (closes && line.trim() === match[1]) fence = null;
    return { line, code: true };
  });
}

/**
 * Places of code spans in one paragraph: a run of backticks up to the next run of the same length.
 * A run without a partner is ordinary text.
 */
export function codeSpans(text) {
  const spans = [];
  const runs = [...text.matchAll(/`+/g)];
  for (let i = 0; i < runs.length; i += 1) {
    const length = runs[i][0].length;
    const partner = runs.findIndex((run, j) => j > i && run[0].length === length);
    if (partner === -1) continue;
    spans.push({ start: runs[i].index, end: runs[partner].index + length, ticks: length });
    i = partner;
  }
  return spans;
}

/** The text with all code replaced by spaces: same length, same lines. */
export function blankCode(text) {
  return markFences(text)
    .map(({ line, code }) => (code ? ' '.repeat(line.length) : blankSpans(line)))
    .join('\n');
}

function blankSpans(line) {
  let result = line;
  for (const { start, end } of codeSpans(line)) {
    result = result.slice(0, start) + ' '.repeat(end - start) + result.slice(end);
  }
  return result;
}
