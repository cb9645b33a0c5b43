import type { Pool } from '../../connection/pool.js';

/** The key of a result and its exchange within a run. */
export interface ItemPlace {
  target: number;
  casePosition: number;
  sample: number;
}

/** The stored exchanges of items of a run, as zstd of JSON; undefined if none is stored. */
export async function findExchanges(
  pool: Pool,
  runId: string,
  places: readonly ItemPlace[],
): Promise<(Buffer | undefined)[]> {
  const { rows } = await pool.query<{ n: number; body: Buffer }>({
    name: 'find_exchanges',
    text: `SELECT u.n::int, e.body FROM unnest($2::int[], $3::int[], $4::int[]) WITH ORDINALITY AS u(target,
      case_position, sample, n)
      JOIN exchange e ON e.run_id = $1 AND e.target = u.target AND e.case_position = u.case_position
        AND e.sample = u.sample WHERE length(e.body) > 0`,
    values: [
      runId,
      places.map((one) => one.target),
      places.map((one) => one.casePosition),
      places.map((one) => one.sample),
    ],
  });
  const found = new Map(rows.map(({ n, body }) => [n - 1, body]));
  return places.map((_place, index) => found.get(index));
}
