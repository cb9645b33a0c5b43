/** Where a series of scores changed its level for good. */
export interface LevelShift {
  /** The place of the first score of the new level. */
  place: number;
  /** The mean before it, since the shift before. */
  from: number;
  /** The mean from it on. */
  to: number;
}

/** So many scores make a level: fewer may be luck. */
const MIN_SCORES = 5;
/** The least t of a shift. It is chosen among all places of a series, so it has to be far above that of one test. */
const MIN_T = 5;
/** Smaller shifts are real at most, but not worth a word. */
const MIN_DIFFERENCE = 0.02;

/** The last lasting shift of a series in order of time; undefined for none. */
export function lastShiftOf(scores: readonly number[]): LevelShift | undefined {
  let found: LevelShift | undefined;
  for (let start = 0; ;) {
    const next = bestSplitOf(scores.slice(start));
    if (!next) return found;
    start += next.place;
    found = { ...next, place: start };
  }
}

/** The split into two levels that differ most for their noise; undefined when none differs enough. */
function bestSplitOf(scores: readonly number[]): LevelShift | undefined {
  const all = scores.length;
  const sum = scores.reduce((total, score) => total + score, 0);
  const squares = scores.reduce((total, score) => total + score * score, 0);
  let [best, most, before]: [LevelShift | undefined, number, number] = [undefined, MIN_T, 0];
  for (let n = 1; n <= all - MIN_SCORES; n++) {
    before += scores[n - 1]!;
    if (n < MIN_SCORES) continue;
    const [from, to] = [before / n, (sum - before) / (all - n)];
    const noise = Math.max(0, squares - n * from * from - (all - n) * to * to) / (all - 2);
    const t = Math.abs(to - from) / Math.sqrt(noise * (1 / n + 1 / (all - n)) + Number.EPSILON);
    if (t <= most || Math.abs(to - from) < MIN_DIFFERENCE) continue;
    [best, most] = [{ place: n, from, to }, t];
  }
  return best;
}
