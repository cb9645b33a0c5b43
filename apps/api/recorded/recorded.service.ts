import { Inject, Injectable } from '@nestjs/common';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import { metricName, type RunMetric } from '#lib/contracts/metric';
import { ProblemError } from '#lib/contracts/input/problem';
import { RECORDED, RecordedInput, RecordedSettings, type RecordedSubmitted } from '#lib/contracts/recorded';
import type { RecordedConfig } from '#lib/contracts/run-input';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { abandonRecording, beginRecording, finishRecording, type Recording } from '#lib/db/engine/record-run';
import { TextStream } from '#lib/imports/source/text-stream';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import type { Redis } from '#lib/runtime/redis';
import { traceSubmit } from '#lib/runtime/tracing/tracing';
import { badInput } from '../platform/bad-input.js';
import type { Change } from '../platform/decorators.js';
import { notifyOfJobs } from '../platform/notify-of-jobs.js';
import { LargeJson } from '../platform/large-bodies.js';
import { POOL, REDIS } from '../platform/stores.js';
import { Upload } from '../platform/upload.js';
import { checkExperiment } from '../runs/check-experiment.js';
import { checkSpending } from '../runs/check-spending.js';
import { resolveMetrics } from '../runs/resolve-metrics.js';
import { SuiteThreads } from '../threads/suite-threads.js';
import { storeReplies, type StoredReplies } from './store-replies.js';

/** Creates runs from replies that were made elsewhere. */
@Injectable()
export class RecordedService {
  /** By team. Bodies that are already in memory take turns. */
  readonly #smallBodies = new KeyedSemaphore(
    4,
    100,
    'Too many recorded replies of your team are waiting to be read. Try again in a few seconds.',
  );
  /** By team. Sending a large file may take hours. */
  readonly #largeFiles = new KeyedSemaphore(
    4,
    0,
    'Your team is sending four large files of replies already (the limit). Try again when one of them has ended.',
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(REDIS) readonly redis: Redis,
    readonly suiteThreads: SuiteThreads,
  ) {}

  /** Creates a run from replies. With JSON everything is in the body; with lines the settings are in the query. */
  async record(
    caller: Caller,
    query: object,
    body: RecordedInput | LargeJson | Upload,
    change: Change,
  ): Promise<RecordedSubmitted> {
    if (body instanceof Upload) return this.#recordUpload(caller, query, body, change);
    refuseQuery(query);
    const { replies, ...settings } = body instanceof LargeJson ? large(body) : body;
    return this.#smallBodies.run(caller.teamId, () => this.#record(caller, settings, toIncoming(replies), change));
  }

  async #recordUpload(caller: Caller, query: object, upload: Upload, change: Change): Promise<RecordedSubmitted> {
    try {
      const settings = parseSettings(query);
      if (!upload.isSmall)
        return await this.#largeFiles.run(caller.teamId, () => this.#record(caller, settings, upload, change));
      const text = await upload.text();
      return await this.#smallBodies.run(caller.teamId, () => this.#record(caller, settings, toIncoming(text), change));
    } finally {
      await upload.drain();
    }
  }

  async #record(
    caller: Caller,
    settings: RecordedSettings,
    incoming: TextStream,
    change: Change,
  ): Promise<RecordedSubmitted> {
    const { pool, suiteThreads } = this;
    const { teamId } = caller;
    const { suite_id: suiteId, target_name: targetName } = settings;
    const startedAtMs = Date.now();
    const metrics = resolveMetrics(settings.metrics);
    await checkExperiment(pool, teamId, settings);
    await checkSpending(pool, caller, { suite_id: suiteId, case_filter: null }, []);
    const recording = await beginRecording(pool, teamId, suiteId);
    try {
      const stored = await storeReplies({ pool, suiteThreads }, teamId, recording, incoming);
      const submitted = await this.#finish(caller, recording, { settings, metrics, stored }, change);
      traceSubmit(recording.runId, startedAtMs, {
        'toolmark.job': submitted.job_id,
        'toolmark.suite': suiteId,
        'toolmark.models': [`${RECORDED}::${targetName}`],
      });
      return submitted;
    } catch (error) {
      // If Postgres does not answer, the recording stays and is abandoned later.
      await abandonRecording(pool, recording).catch(() => {});
      throw error;
    }
  }

  async #finish(
    caller: Caller,
    recording: Recording,
    { settings, metrics, stored }: { settings: RecordedSettings; metrics: RunMetric[]; stored: StoredReplies },
    change: Change,
  ): Promise<RecordedSubmitted> {
    const { positions, samples, warnings } = stored;
    const lanes: string[] = [];
    const submitted = await change(async (client) => {
      const { jobId, laneId } = await finishRecording(client, recording, {
        teamId: caller.teamId,
        userId: caller.userId,
        tokenId: caller.tokenId,
        name: settings.target_name,
        positions,
        experimentId: settings.experiment_id,
        warnings,
        config: { ...NO_REQUEST_SETTINGS, samples, metrics },
      });
      lanes.push(laneId);
      await audit(client, caller, 'run.record', recording.runId, {
        after: {
          ...{ ...settings, suite_version: recording.suite.version, metrics: metrics.map(metricName), samples },
          ...{ cases: positions.length, replies: stored.replies, read_as: stored.readAs },
        },
      });
      return {
        job_id: jobId,
        eval_id: recording.runId,
        status: 'submitted' as const,
        replies: stored.replies,
        read_as: stored.readAs,
        warnings: warnings.map(({ message }) => message),
      };
    });
    notifyOfJobs(this.redis, [submitted.job_id], lanes);
    return submitted;
  }
}

/** The configuration of a run that sends no requests. */
const NO_REQUEST_SETTINGS = {
  recorded: true,
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
} satisfies Omit<RecordedConfig, 'samples' | 'metrics'>;

/** @throws ProblemError 400 */
function parseSettings(query: object): RecordedSettings {
  const parsed = RecordedSettings.safeParse(query);
  if (parsed.success) return parsed.data;
  throw badInput(parsed.error.issues);
}

/** @throws ProblemError 400 for a query along with a JSON body, which has all settings */
function refuseQuery(query: object): void {
  if (Object.keys(query).length === 0) return;
  throw new ProblemError(
    400,
    'A JSON body has its settings in the body, not in the query. Move them there, or send the lines as ' +
      'application/x-ndjson.',
  );
}

/** A large JSON body, whose replies are already texts. */
function large({ text, entries = [] }: LargeJson): RecordedInput {
  const settings = RecordedInput.parse({ ...(parseJson(text) as JsonObject), replies: [] });
  return { ...settings, replies: entries.map((entry) => new WrittenReply(entry)) };
}
class WrittenReply {
  constructor(readonly json: string) {}
}

/** The replies of a JSON body as lines: given as a text of lines, or as a list. */
function toIncoming(replies: RecordedInput['replies']): TextStream {
  return new TextStream(
    (async function* () {
      if (typeof replies === 'string') yield replies;
      else for (const one of replies) yield `${one instanceof WrittenReply ? one.json : JSON.stringify(one)}\n`;
    })(),
  );
}
