import { Body, Controller, Inject, Post, Query } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Pool } from '#lib/db/connection/pool';
import type { Prisma } from '#lib/db/connection/prisma';
import { RECORDED_EXAMPLE } from '#lib/contracts/examples/examples';
import type { Json } from '#lib/contracts/json/json';
import { ProblemError } from '#lib/contracts/problem';
import {
  MAX_RECORDED,
  RECORDED,
  RecordedInput,
  RecordedQuery,
  RecordedSettings,
  RecordedSubmitted,
} from '#lib/contracts/recorded';
import { audit } from '#lib/db/catalogue/audit';
import { beginRecording, finishRecording, abandonRecording } from '#lib/db/engine/record-run';
import type { Caller } from '#lib/db/catalogue/callers';
import { notify } from '#lib/events/notifications';
import { TextStream } from '#lib/imports/files/text-stream';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { traceSubmit } from '#lib/runtime/tracing/tracing';
import { badInput } from '../platform/bad-input.js';
import { checkExperiment } from '../runs/check-experiment.js';
import { checkSpending } from '../runs/check-spending.js';
import { resolveMetrics } from '../runs/resolve-metrics.js';
import { POOL, PRISMA, REDIS } from '../platform/stores.js';
import { SuiteThreads } from '../suites/suite-threads.js';
import { About, AlsoTakes, Answers, Changes, Me, type Change } from '../platform/decorators.js';
import { takeRecorded } from './take-recorded.js';
import { Upload } from '../platform/upload.js';

/** Runs whose replies were made elsewhere. */
@Controller('api/tool-eval/recorded')
export class RecordedController {
  /** By team: bodies that are small are read in turn, and of files that may be sent for hours a few at once. */
  readonly #smallBodies = new KeyedSemaphore(
    4,
    100,
    'Many replies of your team are being read just now. Try again in a few seconds.',
  );
  readonly #largeFiles = new KeyedSemaphore(
    4,
    0,
    'Your team sends four large files of replies just now, and that is as many as it may at ' +
      'once. Try again when one of them has ended.',
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(PRISMA) readonly prisma: Prisma,
    @Inject(REDIS) readonly redis: Redis,
    readonly suiteThreads: SuiteThreads,
  ) {}

  @Post()
  @AlsoTakes({ 'application/x-ndjson': RECORDED_EXAMPLE })
  @About(
    'Record a run',
    'Makes a run of replies that were made elsewhere: it asks no model and costs nothing, and is ' +
      'listed, scored and compared like any. Beyond 10 MiB send the lines themselves as ' +
      `\`application/x-ndjson\`, and what they are of in the query: at most ` +
      `${MAX_RECORDED.lines.toLocaleString('en')} lines of ${MAX_RECORDED.lineCharacters / 2 ** 20} ` +
      `MiB, ${MAX_RECORDED.bytes / 2 ** 30} GiB in all, read as they come. A line is \`{case, sample, ` +
      `reply}\`, where \`case\` is an id or a name, \`sample\` counts from 0 and may be left out, and ` +
      `\`reply\` has any shape that \`toolmark score\` reads; instead of \`reply\` it may have ` +
      `\`rounds\` (of a chain) or \`error\` (what went wrong). All of it is taken, or nothing.`,
  )
  @Answers(202, RecordedSubmitted, 408, 413, 429)
  async record(
    @Me() caller: Caller,
    @Query({ schema: RecordedQuery }) query: object,
    @Body({ schema: RecordedInput }) body: RecordedInput | Upload,
    @Changes() change: Change,
  ): Promise<RecordedSubmitted> {
    if (!(body instanceof Upload)) {
      if (Object.keys(query).length)
        throw new ProblemError(
          400,
          'Beside a body of JSON the query says nothing: say it in the body, or send the lines as ' +
            'application/x-ndjson.',
        );
      const { replies, ...settings } = body;
      return this.#smallBodies.run(caller.teamId, () =>
        this.#record(caller, settings, incoming(replies as Json), change),
      );
    }
    try {
      const settings = settingsIn(query);
      if (!body.isSmall)
        return await this.#largeFiles.run(caller.teamId, () => this.#record(caller, settings, body, change));
      const text = await body.text();
      return await this.#smallBodies.run(caller.teamId, () => this.#record(caller, settings, incoming(text), change));
    } finally {
      await body.drain();
    }
  }

  async #record(
    caller: Caller,
    settings: RecordedSettings,
    lines: TextStream,
    change: Change,
  ): Promise<RecordedSubmitted> {
    const { pool, prisma, redis } = this;
    const { teamId, userId } = caller;
    const { suite_id: suiteId, target_name: name, experiment_id: experimentId } = settings;
    const startedAtMs = Date.now();
    const metrics = resolveMetrics(settings.metrics);
    await checkExperiment(prisma, teamId, settings);
    await checkSpending(pool, teamId, { suite_id: suiteId, case_filter: null }, []);
    const recording = await beginRecording(pool, teamId, suiteId);
    const { runId } = recording;
    try {
      const { replies, readAs, positions, samples, warnings } = await takeRecorded(this, teamId, recording, lines);
      let laneId = '';
      const made = await change(async (client) => {
        const finished = await finishRecording(client, recording, {
          teamId,
          userId,
          name,
          positions,
          experimentId,
          warnings,
          config: {
            recorded: true,
            samples,
            metrics,
            cache: 'off',
            model_order: 'sequential',
            budget: null,
            params: {},
            temperature: null,
            tool_choice: null,
            max_tokens: null,
            timeout_s: null,
            system_prompt: null,
            case_filter: null,
          },
        });
        ({ laneId } = finished);
        await audit(client, caller, 'run.record', runId);
        return {
          job_id: finished.jobId,
          eval_id: runId,
          status: 'submitted' as const,
          replies,
          read_as: readAs,
          warnings: warnings.map(({ message }) => message),
        };
      });
      traceSubmit(runId, startedAtMs, {
        'toolmark.job': made.job_id,
        'toolmark.suite': suiteId,
        'toolmark.models': [`${RECORDED}::${name}`],
      });
      void notify(redis, { topic: 'lane', id: laneId });
      void notify(redis, { topic: 'job', id: made.job_id });
      return made;
    } catch (error) {
      // Where Postgres does not answer just now, it is given up later.
      await abandonRecording(pool, recording).catch(() => {});
      throw error;
    }
  }
}

function settingsIn(query: object): RecordedSettings {
  const parsed = RecordedSettings.safeParse(query);
  if (parsed.success) return parsed.data;
  throw badInput(parsed.error.issues);
}

/** Replies that came with a body of JSON, as lines. */
function incoming(replies: Json): TextStream {
  return new TextStream(
    (async function* () {
      if (typeof replies === 'string') yield replies;
      else for (const one of replies as Json[]) yield `${JSON.stringify(one)}\n`;
    })(),
  );
}
