/** Pairs of (expected index, called index). */
export type CallPairs = { expected: number; called: number }[];

/**
 * A bonus for low call indexes that only breaks ties: weights differ by at least 0.4 / (number of arguments), and all
 * bonuses together stay below a millionth.
 */
const tieBonus = (rows: number, columns: number): number => Math.min(1e-9, 1e-6 / (rows * columns));

/**
 * The assignment of maximum total weight (Kuhn 1955, in the O(rows^2 * columns) form with potentials). Rows are the
 * shorter side, so that the time for a reply of thousands of calls stays bounded. Ties are broken towards the lowest
 * call indexes. Pairs of weight 0 are not made.
 * @param weights weights[expected][called]
 */
export function pairInAnyOrder(weights: readonly (readonly number[])[]): CallPairs {
  const [expected, called] = [weights.length, weights[0]?.length ?? 0];
  if (expected === 0 || called === 0) return [];
  if (expected === 1 && called === 1) return weights[0]![0]! > 0 ? [{ expected: 0, called: 0 }] : [];
  const turned = expected > called;
  const [rows, columns] = turned ? [called, expected] : [expected, called];
  const tie = tieBonus(rows, columns);
  const cost = new Float64Array(rows * columns);
  weights.forEach((row, e) =>
    row.forEach((weight, c) => {
      if (weight > 0) cost[turned ? c * columns + e : e * columns + c] = -weight + tie * c;
    }),
  );
  const [u, v] = [new Float64Array(rows + 1), new Float64Array(columns + 1)];
  const owner = new Int32Array(columns + 1); // owner[column] = row, both from 1
  const [least, way, used] = [new Float64Array(columns + 1), new Int32Array(columns + 1), new Uint8Array(columns + 1)];
  for (let i = 1; i <= rows; i++) {
    owner[0] = i;
    least.fill(Infinity);
    used.fill(0);
    let column = 0;
    do {
      used[column] = 1;
      const row = owner[column]!;
      const at = (row - 1) * columns - 1;
      let delta = Infinity;
      let next = 0;
      for (let j = 1; j <= columns; j++) {
        if (used[j]) continue;
        const reduced = cost[at + j]! - u[row]! - v[j]!;
        if (reduced < least[j]!) ((least[j] = reduced), (way[j] = column));
        if (least[j]! < delta) ((delta = least[j]!), (next = j));
      }
      for (let j = 0; j <= columns; j++) {
        if (used[j]) ((u[owner[j]!]! += delta), (v[j]! -= delta));
        else least[j]! -= delta;
      }
      column = next;
    } while (owner[column] !== 0);
    do {
      const previous = way[column]!;
      owner[column] = owner[previous]!;
      column = previous;
    } while (column);
  }
  const pairs: CallPairs = [];
  for (let j = 1; j <= columns; j++) {
    if (owner[j] === 0) continue;
    const [row, column] = [owner[j]! - 1, j - 1];
    const pair = turned ? { expected: column, called: row } : { expected: row, called: column };
    if (weights[pair.expected]![pair.called]! > 0) pairs.push(pair);
  }
  return pairs.sort((a, b) => a.expected - b.expected);
}

const ROUNDING = 1e-9;

/** The pairs of maximum total weight that keep the order of both sides (weighted longest common subsequence). */
export function pairInOrder(weights: readonly (readonly number[])[]): CallPairs {
  const rows = weights.length;
  const columns = weights[0]?.length ?? 0;
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1)); // of the suffixes from (i, j)
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const weight = weights[i]![j]!;
      best[i]![j] = Math.max(best[i + 1]![j]!, best[i]![j + 1]!, weight > 0 ? weight + best[i + 1]![j + 1]! : 0);
    }
  }
  const pairs: CallPairs = [];
  let i = 0;
  for (let j = 0; j < columns && i < rows; j++) {
    for (let k = i; k < rows; k++) {
      const weight = weights[k]![j]!;
      if (weight > 0 && weight + best[k + 1]![j + 1]! >= best[i]![j]! - ROUNDING) {
        pairs.push({ expected: k, called: j });
        i = k + 1;
        break;
      }
    }
  }
  return pairs;
}
