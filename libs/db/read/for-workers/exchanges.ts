import type { Pool } from '../../connection/pool.js';
import { wholeExchange } from '../exchange-parts.js';

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
    text: `SELECT u.n::int, ${wholeExchange('e')} AS body
      FROM unnest($2::int[], $3::int[], $4::int[]) WITH ORDINALITY AS u(target, case_position, sample, n)
      JOIN exchange e ON e.run_id = $1 AND e.target = u.target AND e.case_position = u.case_position
        AND e.sample = u.sample WHERE length(${wholeExchange('e')}) > 0`,
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

/** What is kept of a conversation that is not settled, or that was settled without a score. */
export interface KeptConversation {
  /** Of its finished rounds, in order: zstd of JSON. */
  rounds: Buffer[];
  /** Of its last round: empty if nothing was kept of it. */
  last: Buffer;
}

/** What is kept of conversations of a run. */
export async function findConversations(
  pool: Pool,
  runId: string,
  places: readonly ItemPlace[],
): Promise<KeptConversation[]> {
  const { rows } = await pool.query<{ n: number; round: number; body: Buffer }>({
    name: 'find_conversations',
    text: `SELECT u.n::int, p.round, p.body FROM unnest($2::int[], $3::int[], $4::int[]) WITH ORDINALITY AS u(target,
      case_position, sample, n)
      CROSS JOIN LATERAL (
        SELECT c.round::int, c.body FROM conversation_round c WHERE c.run_id = $1 AND c.target = u.target
          AND c.case_position = u.case_position AND c.sample = u.sample
        UNION ALL SELECT 32767, e.body FROM exchange e WHERE e.run_id = $1 AND e.target = u.target
          AND e.case_position = u.case_position AND e.sample = u.sample
      ) p ORDER BY u.n, p.round`,
    values: [
      runId,
      places.map((one) => one.target),
      places.map((one) => one.casePosition),
      places.map((one) => one.sample),
    ],
  });
  const found = places.map((): KeptConversation => ({ rounds: [], last: Buffer.alloc(0) }));
  for (const { n, round, body } of rows) {
    const kept = found[n - 1]!;
    if (round === 32767) kept.last = body;
    else kept.rounds.push(body);
  }
  return found;
}
