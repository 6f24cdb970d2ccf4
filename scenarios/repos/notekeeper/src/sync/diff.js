/** Pairs of positions of lines that two versions have in common: a longest common subsequence, the earliest one. */
export function commonLines(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const pairs = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return pairs;
}

/** Changed regions as half-open ranges: lines `fromA..toA` became `fromB..toB`. */
export function changes(a, b) {
  const regions = [];
  let [lastA, lastB] = [0, 0];
  for (const [i, j] of [...commonLines(a, b), [a.length, b.length]]) {
    if (i > lastA || j > lastB) regions.push({ fromA: lastA, toA: i, fromB: lastB, toB: j });
    [lastA, lastB] = [i + 1, j + 1];
  }
  return regions;
}

/** A diff for people: removed lines with `-`, added ones with `+`. */
export function printDiff(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')];
  return changes(a, b).flatMap(({ fromA, toA, fromB, toB }) => [
    `@@ ${fromA + 1}`,
    ...a.slice(fromA, toA).map((line) => `-${line}`),
    ...b.slice(fromB, toB).map((line) => `+${line}`),
  ]);
}
