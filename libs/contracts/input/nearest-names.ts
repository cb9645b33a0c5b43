const MAX_NAMED = 3;
/** Longer names are compared by this prefix only. */
const MAX_COMPARED_LENGTH = 80;

/** Finds the known names closest in spelling to an unknown one, ignoring case: at most three, closest first. */
export function nearestNames(name: string, known: Iterable<string>): string[] {
  const wanted = beginning(name);
  return [...new Set(known)]
    .map((one) => ({ one, distance: distanceBetween(wanted, beginning(one)) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMED)
    .map(({ one }) => one);
}

/** The one known name that a misspelt name most likely means: at most a third of its letters differ. */
export function likelyName(name: string, known: Iterable<string>): string | undefined {
  const [likely] = nearestNames(name, known);
  if (likely === undefined) return undefined;
  const [a, b] = [beginning(name), beginning(likely)];
  return editsBetween(a, b) <= Math.max(a.length, b.length) / 3 ? likely : undefined;
}

/**
 * A sentence that suggests names: `Nearest of its models, 32 in all: instant, flaky, slow.` It lists all names if
 * there are only a few.
 * @param what the names stand for, in the plural: "its models"
 */
export function suggestNames(name: string, known: readonly string[], what: string): string {
  if (known.length === 0) return `${capital(what)}: none yet.`;
  if (known.length <= MAX_NAMED) return `${capital(what)}: ${nearestNames(name, known).join(', ')}.`;
  return `Nearest of ${what}, ${known.length} in all: ${nearestNames(name, known).join(', ')}.`;
}

/** Names with a common prefix are close. So is a partial name: "ragas" for "ragas_tool_call_f1". */
function distanceBetween(a: string, b: string): number {
  const isPart = a !== b && Math.min(a.length, b.length) > 2 && (a.includes(b) || b.includes(a));
  return (isPart ? 1 : editsBetween(a, b)) - sameBeginning(a, b);
}

function sameBeginning(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

const beginning = (name: string): string => name.slice(0, MAX_COMPARED_LENGTH).toLowerCase();
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The number of characters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
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
