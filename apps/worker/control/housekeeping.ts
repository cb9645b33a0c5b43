import { removeEndedDeviceLogins } from '#lib/db/catalogue/device-logins';
import { forgetKeys } from '#lib/db/catalogue/idempotency';
import { resealSecrets } from '#lib/db/catalogue/sealed-secrets';
import { removeEndedSessions } from '#lib/db/catalogue/sessions';
import { forgetFinishedSignIns } from '#lib/db/catalogue/sign-in';
import { removeUnusedEmbeddings } from '#lib/db/upkeep/unused-embeddings';
import { removeUnusedLanes } from '#lib/db/upkeep/unused-lanes';
import { removeExpiredLeases, withLease } from '#lib/db/connection/lease';
import { longQuery, type Pool } from '#lib/db/connection/pool';
import { abandonStaleRecordings } from '#lib/db/engine/record-run';
import { forgetSilentWorkers } from '#lib/db/engine/live-workers';
import { expireCachedReplies } from '#lib/db/engine/reply-cache';
import { abandonedTryOuts, removeTryOut } from '#lib/db/engine/try-outs';
import { parentsToRemove, removeParent } from '#lib/db/upkeep/delete-parents';
import { purgeRun, runsToPurge } from '#lib/db/upkeep/delete-run';
import { removeUnusedTrends } from '#lib/db/upkeep/unused-trends';
import { countStorage, forgetPastDays, TargetCounts } from '#lib/db/upkeep/count-storage';
import { dropOldMonths } from '#lib/db/upkeep/drop-months';
import { removeUnusedVersions } from '#lib/db/upkeep/suite-versions';
import { notify } from '#lib/events/notifications';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';
import type { Sealer } from '#lib/runtime/seal';
import { measureStepFailure } from '../health/worker-metrics.js';

const STEP = 'housekeeping';
const MAX_CHORE_MS = 60_000;

/**
 * Creates and deletes what is due. A failing chore does not stop the others, and one with more work than time continues
 * next time.
 */
export class Housekeeping {
  readonly #targetCounts = new TargetCounts();
  #unreadableSecrets = 0;

  constructor(
    readonly deps: {
      pool: Pool;
      locks: Pool;
      redis: Redis;
      sealer: Sealer;
      logger: Logger;
      /** Retention of exchanges in days; undefined: forever. */
      keepExchangesDays: number | undefined;
      /** Retention of the audit in days; undefined: forever. */
      keepAuditDays: number | undefined;
      maxChoreMs?: number;
    },
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    const { locks, maxChoreMs = MAX_CHORE_MS } = this.deps;
    await withLease(locks, STEP, async () => {
      for (const [chore, work] of Object.entries(this.#chores())) {
        if (stop.aborted) return;
        await work(AbortSignal.any([stop, AbortSignal.timeout(maxChoreMs)])).catch((error: Error) => {
          measureStepFailure(STEP);
          this.deps.logger.warn({ step: STEP, chore, error: error.message }, 'A chore failed; it will be retried');
        });
      }
    });
  }

  #chores(): Record<string, (signal: AbortSignal) => Promise<unknown>> {
    const { pool } = this.deps;
    const inPieces = (removePiece: (pool: Pool) => Promise<boolean>) => async (signal: AbortSignal) => {
      while ((await removePiece(pool)) && !signal.aborted);
    };
    return {
      'make partitions': () => longQuery(pool, `SELECT ensure_partitions(now() + interval '3 months')`),
      'forget idempotency keys': inPieces(forgetKeys),
      'remove ended sessions': () => removeEndedSessions(pool),
      'remove logins that nobody approved': () => removeEndedDeviceLogins(pool),
      'forget finished sign-ins': () => forgetFinishedSignIns(pool),
      'remove leases of processes that died': () => removeExpiredLeases(pool),
      'forget workers that ended': () => forgetSilentWorkers(pool),
      'seal secrets again that another key has sealed': (signal) => this.#reseal(signal),
      'drop old exchanges': () => this.#dropOld('exchange', this.deps.keepExchangesDays),
      'drop old rounds of conversations': () => this.#dropOld('conversation_round', this.deps.keepExchangesDays),
      'drop the old audit': () => this.#dropOld('audit', this.deps.keepAuditDays),
      'count what targets store': inPieces((on) => this.#targetCounts.countPiece(on)),
      'count what teams store': (signal) => countStorage(pool, signal),
      'forget the items of past days': () => forgetPastDays(pool),
      'expire replies': inPieces(expireCachedReplies),
      'give up recordings that were left behind': () => abandonStaleRecordings(pool),
      'remove try-outs that nobody waits for': (signal) => this.#removeTryOuts(signal),
      'remove deleted parents': (signal) => this.#inTurns(parentsToRemove(pool), removeParent, signal),
      'purge deleted runs': (signal) => this.#inTurns(runsToPurge(pool), purgeRun, signal),
      'remove unused versions of suites': inPieces(removeUnusedVersions),
      'remove unused embeddings': inPieces(removeUnusedEmbeddings),
      'remove trends of deleted suites': inPieces(removeUnusedTrends),
      'remove unused lanes': () => removeUnusedLanes(pool),
    };
  }

  async #dropOld(table: 'exchange' | 'conversation_round' | 'audit', keepDays: number | undefined): Promise<void> {
    if (keepDays === undefined) return;
    const partitions = await dropOldMonths(this.deps.pool, table, keepDays);
    if (partitions.length) this.deps.logger.info({ partitions }, 'Removed months that were kept long enough');
  }

  async #reseal(signal: AbortSignal): Promise<void> {
    const { pool, sealer, logger } = this.deps;
    const { resealed, unreadable, why } = await resealSecrets(pool, sealer, signal);
    const [key] = sealer.keyIds;
    if (resealed > 0) logger.info({ key, rows: resealed }, 'Secrets were sealed again with the first sealing key');
    if (unreadable > 0 && unreadable !== this.#unreadableSecrets)
      logger.warn({ rows: unreadable, why }, 'Some sealed secrets cannot be opened, so they were not sealed again');
    this.#unreadableSecrets = unreadable;
  }

  /** Failures are retried next time. */
  async #removeTryOuts(signal: AbortSignal): Promise<void> {
    const { pool, redis, logger } = this.deps;
    for (const runId of await abandonedTryOuts(pool)) {
      if (signal.aborted) return;
      void notify(redis, { topic: 'cancel', id: runId });
      await removeTryOut(pool, runId).catch((error: Error) => {
        measureStepFailure(STEP);
        logger.warn(
          { step: STEP, run: runId, error: error.message },
          'A try-out could not be removed; it will be retried',
        );
      });
    }
  }

  /** Removes one batch of each in turn, and at least one batch. Failures are retried next time. */
  async #inTurns(
    ids: Promise<string[]>,
    removePiece: (pool: Pool, id: string) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<void> {
    const { pool, logger } = this.deps;
    const remaining = new Set(await ids);
    while (remaining.size) {
      for (const id of [...remaining]) {
        const hasMore = await removePiece(pool, id).catch((error: Error) => {
          measureStepFailure(STEP);
          logger.warn(
            { step: STEP, id, error: error.message },
            'Data of a deleted run or parent could not be removed; it will be retried',
          );
        });
        if (!hasMore) remaining.delete(id);
        if (signal.aborted) return;
      }
    }
  }
}
