import { BatchColumns } from '../connection/batch-columns.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { IS_RESTING } from '../rests.js';
import type { Delivery } from './dispatch-lane.js';

// A provider may request a wait of hours when a daily quota is used up. Its lane continues, as other models share it,
// and the model rests. The items that were refused or queued go back unasked and are dispatched first when the rest is
// over: first one alone, then all others when that one has ended without another such wait.

/** The wait that a provider requested. */
export interface AskedRest {
  forMs: number;
  /** The provider's message. */
  why: string;
  /** Address and credential of the request. The wait does not apply to ones that were changed since. */
  accessVersion: number;
}

const MAX_WHY_CHARACTERS = 300;

/**
 * Puts the model of a delivery to rest, for all runs, unless its provider was given another address or credential
 * since.
 */
export async function restModel(
  pool: Pool,
  { runId, target }: Pick<Delivery, 'runId' | 'target'>,
  { forMs, why, accessVersion }: AskedRest,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ provider_id: string; model_id: string }>(
      `SELECT t.provider_id, t.model_id FROM target t JOIN provider p ON p.id = t.provider_id
       WHERE t.run_id = $1 AND t.ordinal = $2 AND p.access_version = $3 FOR SHARE OF p`,
      [runId, target, accessVersion],
    );
    if (!rows[0]) return;
    await client.query(
      `INSERT INTO resting_model AS known (provider_id, model_id, until, why)
       VALUES ($1, $2, now() + $3 * interval '1 ms', $4)
       ON CONFLICT (provider_id, model_id) DO UPDATE SET until = excluded.until, why = excluded.why
         WHERE known.until IS NULL OR known.until < excluded.until`,
      [rows[0].provider_id, rows[0].model_id, forMs, why.slice(0, MAX_WHY_CHARACTERS)],
    );
  });
}

/**
 * Ends the rest of a provider's models, or of one of them: it has another address or credential, or it replied.
 * @param modelId undefined: all of them
 */
export async function endRest(db: Pool | PoolClient, providerId: string, modelId?: string): Promise<void> {
  await db.query(`DELETE FROM resting_model WHERE provider_id = $1 AND model_id = coalesce($2, model_id)`, [
    providerId,
    modelId ?? null,
  ]);
}

/** Waiting for a resting model ends when the model is removed. */
export async function endRestsOfRemoved(client: PoolClient, providerId: string): Promise<void> {
  await client.query(
    `DELETE FROM resting_model r WHERE provider_id = $1 AND NOT EXISTS (
       SELECT 1 FROM model m WHERE m.provider_id = r.provider_id AND m.model_id = r.model_id
     )`,
    [providerId],
  );
}

const TARGETS = new BatchColumns<Pick<Delivery, 'runId' | 'target'>>({
  run_id: ['uuid', ({ runId }) => runId],
  ordinal: ['int', ({ target }) => target],
});

/** Which of these targets must not be asked now: their models rest, or their items are settled unasked. */
export async function unaskableTargets<Target extends Pick<Delivery, 'runId' | 'target'>>(
  pool: Pool,
  targets: readonly Target[],
): Promise<Target[]> {
  const { rows } = await pool.query<{ n: number }>({
    name: 'unaskable_targets',
    text: `SELECT u.n::int FROM ${TARGETS.unnest(1, 'n')} JOIN target t ON t.run_id = u.run_id AND t.ordinal = u.ordinal
      WHERE t.unasked_why IS NOT NULL OR ${IS_RESTING}`,
    values: TARGETS.values(targets),
  });
  return rows.map(({ n }) => targets[n - 1]!);
}

/**
 * Returns an item that a worker holds to the items of its target that are still to be dispatched, without counting
 * anything. Nothing happens if the worker no longer holds it, or if its run was stopped.
 */
export async function putBack(pool: Pool, worker: string, { runId, target, item, token }: Delivery): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM target WHERE run_id = $1 AND ordinal = $2 FOR NO KEY UPDATE', [runId, target]);
    const { rowCount } = await client.query(
      `WITH held AS (
         DELETE FROM in_flight i USING run r
         WHERE i.run_id = $1 AND i.target = $2 AND i.item = $3 AND i.token = $4 AND i.worker = $5
           AND r.id = i.run_id AND r.status = 'running'
         RETURNING i.run_id, i.target, i.item
       )
       INSERT INTO redo (run_id, target, item) SELECT * FROM held ON CONFLICT DO NOTHING`,
      [runId, target, item, token, worker],
    );
    if (rowCount === 0) return;
    await client.query('UPDATE target SET active = true WHERE run_id = $1 AND ordinal = $2 AND unasked_why IS NULL', [
      runId,
      target,
    ]);
  });
}
