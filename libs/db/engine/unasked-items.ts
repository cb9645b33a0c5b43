import { NO_USAGE } from '#lib/contracts/cost';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import type { Delivery } from './dispatch-lane.js';
import { logWarning } from './log-events.js';
import { locateItems, type ItemOfCase } from './prepare-run.js';
import { settleItems, type Settlement } from './settle-items.js';

// A host that has no such model would refuse every item of a target, one request each. After a few refusals, and if no
// item was ever scored, the others are settled as errored without a request, a few thousand per transaction. They are
// requested when the run is resumed.

/** Number of items refused for a missing model before the others of their target are settled without a request. */
const ENOUGH = 3;

/** The model as it was configured at the time of the request. */
export interface AskedModel {
  /** `provider::model` */
  name: string;
  baseUrl: string;
  accessVersion: number;
}

/**
 * Records that a host has no such model, for an item of a target. Requests to another address, or with another key, do
 * not count.
 */
export async function noteModelMissing(
  pool: Pool,
  { runId, target }: Pick<Delivery, 'runId' | 'target'>,
  { name, baseUrl, accessVersion }: AskedModel,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ enough: boolean }>(
      `UPDATE target t SET not_found = least(t.not_found + 1, $4) FROM run r, provider p
       WHERE t.run_id = $1 AND t.ordinal = $2 AND t.unasked_why IS NULL
         AND r.id = t.run_id AND r.status = 'running'
         AND p.id = t.provider_id AND p.access_version = $3
       RETURNING t.not_found >= $4 AND t.settled = t.errored AS enough`,
      [runId, target, accessVersion, ENOUGH],
    );
    if (!rows[0]?.enough) return;
    await client.query('UPDATE target SET active = false, unasked_why = $3 WHERE run_id = $1 AND ordinal = $2', [
      runId,
      target,
      `${name} does not exist at ${new URL(baseUrl).host}`,
    ]);
  });
}

/** A target whose remaining items are to be settled unasked. */
export interface UnaskedTarget {
  teamId: string;
  runId: string;
  ordinal: number;
}

/** At most twenty of each team. Their requests have ended, so no other process takes their items. */
export async function targetsWithUnaskedItems(pool: Pool): Promise<UnaskedTarget[]> {
  const { rows } = await pool.query<UnaskedTarget>({
    name: 'targets_with_unasked_items',
    text: `SELECT "teamId", "runId", ordinal FROM (
       SELECT r.team_id AS "teamId", t.run_id AS "runId", t.ordinal,
         row_number() OVER (PARTITION BY r.team_id ORDER BY t.run_id, t.ordinal) AS n
       FROM target t JOIN run r ON r.id = t.run_id
       WHERE t.finished_at IS NULL AND t.unasked_why IS NOT NULL AND r.status = 'running' AND t.settled < t.n
         AND r.worker_level <= level_of_session()
         AND NOT EXISTS (SELECT 1 FROM in_flight f WHERE f.run_id = t.run_id AND f.target = t.ordinal)
     ) unasked
     WHERE n <= 20 ORDER BY n LIMIT 1000`,
  });
  return rows;
}

/**
 * Settles the next of them, and logs one warning for all.
 * @returns the job that changed; undefined when nothing is left to do
 */
export async function settleUnasked(
  pool: Pool,
  { runId, ordinal }: Pick<UnaskedTarget, 'runId' | 'ordinal'>,
  pieceSize = 1000,
): Promise<{ jobId: string } | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(`SELECT set_config('lock_timeout', '5s', true)`);
    await client.query('SELECT 1 FROM target WHERE run_id = $1 AND ordinal = $2 FOR NO KEY UPDATE', [runId, ordinal]);
    const target = await readTarget(client, runId, ordinal);
    if (!target) return undefined;
    const left = target.n - target.settled;
    await logWarning(client, runId, `not_found:${target.name}`, warningOf(target, left));
    const deliveries = await takeItems(client, { runId, ordinal, ...target }, pieceSize);
    await settleItems(client, await toSettlements(client, deliveries, target));
    return { jobId: target.job_id };
  });
}

interface Target {
  n: number;
  cursor: number;
  settled: number;
  name: string;
  unasked_why: string;
  job_id: string;
  version_id: string;
  level: number;
}

async function readTarget(client: PoolClient, runId: string, ordinal: number): Promise<Target | undefined> {
  const { rows } = await client.query<Target>(
    `SELECT t.n, t.cursor, t.settled, t.provider_key || '::' || t.model_id AS name, t.unasked_why, r.job_id,
       r.suite_version_id AS version_id, r.worker_level AS level
     FROM target t JOIN run r ON r.id = t.run_id
     WHERE t.run_id = $1 AND t.ordinal = $2 AND t.unasked_why IS NOT NULL AND r.status = 'running'
       AND t.settled < t.n AND NOT EXISTS (SELECT 1 FROM in_flight f WHERE f.run_id = $1 AND f.target = $2)`,
    [runId, ordinal],
  );
  return rows[0];
}

const inWords = (count: number): string => count.toLocaleString('en-US');

const warningOf = ({ unasked_why: why, n }: Target, left: number): string =>
  `${why}: ${inWords(left)} of ${inWords(n)} items were not asked. Correct the provider's base_url, or make the ` +
  'model available there, and resume the run; or start another run with the right model id.';

/** Takes the next items of a target, those of `redo` first, for this transaction to settle. */
async function takeItems(
  client: PoolClient,
  { runId, ordinal, cursor, n, level }: Target & { runId: string; ordinal: number },
  count: number,
): Promise<Delivery[]> {
  const redone = await client.query<{ item: number }>(
    `DELETE FROM redo WHERE (run_id, target, item) IN (
       SELECT run_id, target, item FROM redo WHERE run_id = $1 AND target = $2 ORDER BY item LIMIT $3
     ) RETURNING item`,
    [runId, ordinal, count],
  );
  const end = Math.min(n, cursor + count - redone.rows.length);
  await client.query('UPDATE target SET cursor = $3 WHERE run_id = $1 AND ordinal = $2', [runId, ordinal, end]);
  const items = [...redone.rows.map(({ item }) => item), ...Array.from({ length: end - cursor }, (_, i) => cursor + i)];
  const { rows } = await client.query<Delivery>(
    `INSERT INTO in_flight (run_id, target, item, worker_level, token)
     SELECT $1, $2, item, $4, nextval('delivery_token') FROM unnest($3::int[]) AS item
     RETURNING run_id AS "runId", target, item, token`,
    [runId, ordinal, items, level],
  );
  return rows;
}

/** The cases and samples of the items. The caller took at least one. */
async function placesOf(client: PoolClient, deliveries: readonly Delivery[]): Promise<Map<number, ItemOfCase>> {
  const items = deliveries.map(({ item }) => item);
  const range = await locateItems(client, deliveries[0]!.runId, Math.min(...items), Math.max(...items) + 1);
  return new Map(range.map((place) => [place.item, place]));
}

async function toSettlements(
  client: PoolClient,
  deliveries: readonly Delivery[],
  { unasked_why: why, version_id: versionId }: Target,
): Promise<Settlement[]> {
  if (deliveries.length === 0) return [];
  const places = await placesOf(client, deliveries);
  const { rows } = await client.query<{ position: number; category: string | null }>(
    `SELECT c.position, c.category FROM suite_version_case c
     WHERE c.version_id = $1 AND c.category IS NOT NULL AND c.position = ANY ($2::int[])`,
    [versionId, [...new Set(deliveries.map(({ item }) => places.get(item)!.casePosition))]],
  );
  const categories = new Map(rows.map(({ position, category }) => [position, category]));
  return deliveries.map((delivery): Settlement => {
    const { casePosition, sample } = places.get(delivery.item)!;
    return {
      delivery,
      casePosition,
      sample,
      category: categories.get(casePosition) ?? null,
      result: { outcome: 'errored', error: { kind: 'bad_request', message: `Not asked: ${why}.` } },
      latencyMs: null,
      usage: NO_USAGE,
      costUsd: null,
      cached: false,
      attempts: 0,
      toolChoiceUsed: null,
      exchange: Buffer.alloc(0),
    };
  });
}
