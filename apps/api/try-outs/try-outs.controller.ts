import { Body, Controller, Post, Res, Inject } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Try, TryInput, type TryResult } from '#lib/contracts/try';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, KeepsNoAnswer, Me, TakesUpTo, type Change } from '../platform/decorators.js';
import { leaveSignal } from '../platform/leave-signal.js';
import { ProblemError } from '#lib/contracts/input/problem';
import { targetName } from '#lib/contracts/target-name';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { audit } from '#lib/db/catalogue/audit';
import type { Pool } from '#lib/db/connection/pool';
import {
  endTryOut,
  hasSettled,
  refuseTooManyTries,
  removeTryOut,
  startTryOut,
  waitReason,
  type TryOut,
  type TryOutState,
} from '#lib/db/engine/try-outs';
import { ResultRepository } from '#lib/db/read/results';
import { notify } from '#lib/events/notifications';
import type { Logger } from '#lib/runtime/logger';
import type { Redis } from '#lib/runtime/redis';
import { JobNotifications } from '../platform/job-notifications.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { Shutdown } from '../platform/shutdown.js';
import { LOGGER, POOL, REDIS } from '../platform/stores.js';
import { WorkersMissing } from '../platform/workers-missing.js';
import { resolveMetrics } from '../runs/resolve-metrics.js';
import { resolveTargets } from '../runs/resolve-targets.js';
import { SuiteValidator } from '../suites/suite-validator.js';
import { checkTriedCase, checkTryCosts, suiteOfTry } from './check-try.js';
import { costOf, toTryResult, noAnswerResult } from './try-results.js';

/** How often Postgres is polled, in case a notification was lost, or a model is paused. */
const POLL_MS = 1000;

/** It may include tools of up to 1 MiB. */
const TRY_BYTES = 2 * 2 ** 20;

/** Runs try-outs: starts one, waits for its models, answers, and deletes it. */
@Controller('api/tool-eval/try')
export class TryOutsController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    @Inject(LOGGER) readonly logger: Logger,
    readonly validator: SuiteValidator,
    readonly notifications: JobNotifications,
    readonly shutdown: Shutdown,
    readonly workers: WorkersMissing,
  ) {}

  @Post()
  @TakesUpTo(TRY_BYTES, TryInput)
  @KeepsNoAnswer()
  @About(
    'Try out a case',
    'Plays one case with up to ten models at once, and answers with the verdicts and replies when all models have ' +
      'answered, or at the deadline. It goes through the limits of the providers and the monthly cap like a run. ' +
      'Only its cost is kept, so a repeat with the same Idempotency-Key calls the models again. Requests end ' +
      'when the client disconnects. Answers 429 beyond four at once per user, or ten per team.',
  )
  @Answers(200, Try, 409, 422)
  async try(
    @Me() caller: Caller,
    @Body({ schema: TryInput }) input: TryInput,
    @Changes() change: Change,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Try> {
    const left = leaveSignal(reply);
    const { pool, redis } = this;
    const { teamId, userId, tokenId } = caller;
    await refuseTooManyTries(pool, caller);
    const metrics = resolveMetrics(input.metrics);
    const suite = await suiteOfTry(pool, teamId, input);
    const targets = await resolveTargets(this.pool, teamId, input);
    const warnings = await checkTriedCase(this.validator, teamId, input, suite);
    await checkTryCosts(pool, caller, input, targets);
    left.throwIfAborted();
    const tryOut = await change(async (client) => {
      const started = await startTryOut(client, { teamId, userId, tokenId, suite, input, metrics, targets });
      const after = { suite_id: input.suite_id, models: targets.map(targetName), job_id: started.jobId };
      await audit(client, caller, 'case.try', input.suite_id ?? 'no suite', { after });
      return started;
    });
    try {
      notifyOfJobs(redis, [], new Set(targets.map(({ laneId }) => laneId)));
      await this.#untilSettled(tryOut, input.deadline_s * 1000, left);
      const state = await change((client) => endTryOut(client, tryOut));
      const results = await this.#results(caller, tryOut, state, input);
      return { results, cost_usd: costOf(results), warnings: [...warnings, ...state.warnings] };
    } finally {
      await this.#remove(tryOut, change);
    }
  }

  /** @throws the reason of `left`; ProblemError 503 when the API stops */
  async #untilSettled(tryOut: TryOut, withinMs: number, left: AbortSignal): Promise<void> {
    const { longAnswers: stops } = this.shutdown;
    const deadlineMs = Date.now() + withinMs;
    for (;;) {
      const turn = AbortSignal.timeout(Math.min(POLL_MS, Math.max(0, deadlineMs - Date.now())));
      // Subscribes before it queries, so that no change in between is missed.
      const changed = this.notifications.next(tryOut.runId, AbortSignal.any([left, stops, turn]));
      if ((await hasSettled(this.pool, tryOut)) || Date.now() >= deadlineMs) return;
      left.throwIfAborted();
      if (stops.aborted) throw new ProblemError(503, 'The server is stopping. Try again.', undefined, 1000);
      await changed;
    }
  }

  /** One at a time, since each may have megabytes. */
  async #results(caller: Caller, { runId }: TryOut, state: TryOutState, input: TryInput): Promise<TryResult[]> {
    const repository = new ResultRepository(this.pool, caller.teamId);
    const results: TryResult[] = [];
    for (const target of state.targets) {
      if (!target.settled) {
        const reason = waitReason(state, target) ?? (await this.#whyNobody());
        results.push(noAnswerResult(target.target, input, reason));
        continue;
      }
      const id = `${target.ordinal}-0-0`;
      const small = await repository.readSmall(runId, id, undefined, MAX_READ_BYTES);
      const found = small ?? { ...(await repository.readStored(runId, id)), exchange: null };
      results.push(toTryResult(found, caller));
    }
    return results;
  }

  /** Why no running worker answers, as the end of a sentence. */
  async #whyNobody(): Promise<string | undefined> {
    const why = (await this.workers.whyNobody())('tool_eval', SUBMIT_LEVEL);
    return why && why.charAt(0).toLowerCase() + why.slice(1);
  }

  /** If it cannot be removed now, it is removed when its lease expires. */
  async #remove({ runId }: TryOut, change: Change): Promise<void> {
    void notify(this.redis, { topic: 'cancel', id: runId });
    await removeTryOut(this.pool, runId, change).catch((error: Error) =>
      this.logger.warn({ run: runId, error: error.message }, 'A try-out could not be removed; upkeep will remove it'),
    );
  }
}

/** Larger exchanges are not read: ten of them form one answer, and would hold up other requests. */
const MAX_READ_BYTES = 256 * 1024;
