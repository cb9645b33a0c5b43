const MOST_NAMED = 3;
/** Longer names are compared by their beginnings. */
const LONGEST_COMPARED = 80;

/**
 * The known names that are written most like one that is not among them, ignoring case: three at most, the nearest
 * first.
 */
export function nearestNames(name: string, known: Iterable<string>): string[] {
  const wanted = beginning(name);
  return [...new Set(known)]
    .map((one) => ({ one, distance: distanceBetween(wanted, beginning(one)) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST_NAMED)
    .map(({ one }) => one);
}

/** The one known name that was surely meant by a misspelt one: at most a third of its letters are others. */
export function likelyName(name: string, known: Iterable<string>): string | undefined {
  const [likely] = nearestNames(name, known);
  if (likely === undefined) return undefined;
  const [a, b] = [beginning(name), beginning(likely)];
  return editsBetween(a, b) <= Math.max(a.length, b.length) / 3 ? likely : undefined;
}

/**
 * A sentence that names what might have been meant: `Nearest of its models, 32 in all: instant, flaky, slow.`, or
 * all of them where they are few.
 * @param what they are, in the plural: "its models"
 */
export function suggestNames(name: string, known: readonly string[], what: string): string {
  if (known.length === 0) return `${capital(what)}: none yet.`;
  if (known.length <= MOST_NAMED) return `${capital(what)}: ${nearestNames(name, known).join(', ')}.`;
  return `Nearest of ${what}, ${known.length} in all: ${nearestNames(name, known).join(', ')}.`;
}

/** Names that begin alike are near, and so is one that was written only in part: "ragas" for "ragas_tool_call_f1". */
function distanceBetween(a: string, b: string): number {
  const isPart = a !== b && Math.min(a.length, b.length) > 2 && (a.includes(b) || b.includes(a));
  return (isPart ? 1 : editsBetween(a, b)) - sameBeginning(a, b);
}

function sameBeginning(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

const beginning = (name: string): string => name.slice(0, LONGEST_COMPARED).toLowerCase();
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Characters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function editsBetween(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let edits = Math.min(last![j]! + 1, row[j - 1]! + 1, last![j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, before![j - 2]! + 1);
      row.push(edits);
    }
    [before, last] = [last, row];
  }
  return last![b.length]!;
}
