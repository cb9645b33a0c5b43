/** Pairs of (expected index, called index). */
export type Assignment = { expected: number; called: number }[];

/** Small enough to decide only between equal totals: weights differ by 0.4 / (number of arguments) at least. */
const TIE = 1e-9;

/**
 * The assignment of maximum total weight (Kuhn 1955, in the O(n^3) form with potentials); of equal ones that with the lowest
 * called indices. Pairs of weight 0 are not made.
 *
 * @param weights weights[expected][called]
 */
export function assignAny(weights: readonly (readonly number[])[]): Assignment {
  const rows = weights.length;
  const columns = weights[0]?.length ?? 0;
  if (rows === 0 || columns === 0) return [];
  const n = Math.max(rows, columns);
  const cost = (i: number, j: number): number => {
    const weight = i < rows && j < columns ? weights[i]![j]! : 0;
    return weight > 0 ? -weight + TIE * j : 0;
  };
  const [u, v] = [new Float64Array(n + 1), new Float64Array(n + 1)];
  const owner = new Int32Array(n + 1); // owner[column] = row, both from 1
  for (let i = 1; i <= n; i++) {
    owner[0] = i;
    const least = new Float64Array(n + 1).fill(Infinity);
    const way = new Int32Array(n + 1);
    const used = new Uint8Array(n + 1);
    let column = 0;
    do {
      used[column] = 1;
      const row = owner[column]!;
      let delta = Infinity;
      let next = 0;
      for (let j = 1; j <= n; j++) {
        if (used[j]) continue;
        const reduced = cost(row - 1, j - 1) - u[row]! - v[j]!;
        if (reduced < least[j]!) (least[j] = reduced, way[j] = column);
        if (least[j]! < delta) (delta = least[j]!, next = j);
      }
      for (let j = 0; j <= n; j++) {
        if (used[j]) (u[owner[j]!]! += delta, v[j]! -= delta);
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
  const pairs: Assignment = [];
  for (let j = 1; j <= columns; j++) {
    const expected = owner[j]! - 1;
    if (expected < rows && weights[expected]![j - 1]! > 0) pairs.push({ expected, called: j - 1 });
  }
  return pairs.sort((a, b) => a.expected - b.expected);
}

/** The pairs of maximum total weight that keep the order of both sides (weighted longest common subsequence). */
export function assignInOrder(weights: readonly (readonly number[])[]): Assignment {
  const rows = weights.length;
  const columns = weights[0]?.length ?? 0;
  const best = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1)); // of the suffixes from (i, j)
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const weight = weights[i]![j]!;
      best[i]![j] = Math.max(best[i + 1]![j]!, best[i]![j + 1]!, weight > 0 ? weight + best[i + 1]![j + 1]! : 0);
    }
  }
  const pairs: Assignment = [];
  let i = 0;
  for (let j = 0; j < columns && i < rows; j++) {
    for (let k = i; k < rows; k++) {
      const weight = weights[k]![j]!;
      if (weight > 0 && weight + best[k + 1]![j + 1]! >= best[i]![j]! - TIE) {
        pairs.push({ expected: k, called: j });
        i = k + 1;
        break;
      }
    }
  }
  return pairs;
}
