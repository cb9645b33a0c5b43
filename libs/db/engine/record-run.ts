import { ProblemError } from '#lib/contracts/input/problem';
import { RECORDED } from '#lib/contracts/recorded';
import type { RecordedConfig } from '#lib/contracts/run-input';
import { SUBMIT_LEVEL } from '#lib/contracts/worker-level';
import { newId } from '#lib/runtime/ids';
import { NOT_DRAFT } from '../catalogue/case-pages.js';
import { LaneRepository } from '../catalogue/lanes.js';
import { keepStoring } from '../catalogue/quotas.js';
import { BatchColumns } from '../connection/batch-columns.js';
import { insertRow } from '../connection/insert-row.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { countWork } from './count-work.js';
import { createJob } from './create-job.js';
import { joinExperiment } from './experiments.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';
import { noCases, pinSuiteVersion, type PinnedSuite } from './pin-suite-version.js';

/**
 * An upload of recorded replies, which ends as a run. During the upload there is no run, only a row of `recording`, and
 * the replies in `exchange`, written in batches, each in its own commit. The last commit creates job, run and target
 * and deletes the row, so the run appears at once and complete. An upload that breaks off leaves its row; after a while
 * the recording is abandoned, and its replies are removed like those of a deleted run.
 */
export interface Recording {
  /** Id of the future run. */
  runId: string;
  suiteId: string;
  suite: PinnedSuite;
}

/** A recording without additions for this long was left behind by its process. */
const STALE_AFTER = '15 minutes';

/**
 * @throws ProblemError 422 when the team has no such suite, or the suite has no cases; 409 when the team stores as much
 *   as it may
 */
export async function beginRecording(pool: Pool, teamId: string, suiteId: string): Promise<Recording> {
  await keepStoring(pool, teamId);
  return inTransaction(pool, async (client) => {
    const suite = await pinSuiteVersion(client, teamId, suiteId);
    if (suite.caseCount === 0) throw noCases(suite);
    const runId = newId();
    await insertRow(client, 'recording', { run_id: runId, suite_version_id: suite.versionId });
    return { runId, suiteId, suite };
  });
}

/** How a recorded reply identifies its case, and what is needed of the case. */
export interface NamedCase {
  position: number;
  id: string;
  name: string | null;
  isDraft: boolean;
  /** A chain or a conversation. */
  hasRounds: boolean;
  /** Whether its text mentions semantic comparison. */
  maybeSemantic: boolean;
}

/** The cases of a suite version in order, page by page. */
export async function* readNamedCases(pool: Pool, versionId: string, pageSize = 1000): AsyncGenerator<NamedCase[]> {
  for (let after = -1; ;) {
    const { rows } = await pool.query<NamedCase>(
      `SELECT position, case_id AS id, body::json ->> 'name' AS name, NOT ${NOT_DRAFT} AS "isDraft",
         coalesce(body::json ->> 'multi_turn' = 'true', false)
           OR coalesce(json_typeof(body::json -> 'conversation') = 'object', false) AS "hasRounds",
         strpos(body, '"semantic"') > 0 AS "maybeSemantic"
       FROM suite_version_case WHERE version_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
      [versionId, after, pageSize],
    );
    if (rows.length) yield rows;
    if (rows.length < pageSize) return;
    after = rows.at(-1)!.position;
  }
}

export interface RecordedReply {
  casePosition: number;
  sample: number;
  /** zstd of JSON, as an exchange is stored */
  exchange: Uint8Array;
}

const REPLIES = new BatchColumns<RecordedReply>({
  case_position: ['int', (reply) => reply.casePosition],
  sample: ['int', (reply) => reply.sample],
  body: ['bytea', ({ exchange }) => Buffer.from(exchange.buffer, exchange.byteOffset, exchange.byteLength)],
});

/**
 * Stores some replies, or none, and records that the upload is still active.
 * @throws ProblemError 409 when the recording was abandoned
 */
export async function storeRecordedReplies(
  pool: Pool,
  { runId }: Pick<Recording, 'runId'>,
  replies: readonly RecordedReply[],
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query('UPDATE recording SET touched_at = now() WHERE run_id = $1', [runId]);
    if (rowCount === 0) throw recordingIsGone();
    if (replies.length === 0) return;
    await client.query(
      `INSERT INTO exchange (run_id, target, case_position, sample, body) SELECT $1, 0, u.* FROM ${REPLIES.unnest(2)}`,
      [runId, ...REPLIES.values(replies)],
    );
  });
}

/** No provider has this id. A release that does not know recorded runs looks for it and sends no request. */
const NO_PROVIDER = '00000000-0000-0000-0000-000000000000';

/**
 * A recorded run begins with the second generation: a release that does not know recorded runs looks for stored replies
 * only from there on.
 */
const GENERATION = 2;

export interface RecordedRun {
  teamId: string;
  userId: string;
  tokenId: string | null;
  /** Display name of the target. */
  name: string;
  /** Positions of the cases that have replies, in order. */
  positions: readonly number[];
  config: RecordedConfig;
  experimentId: string | null;
  warnings: readonly { code: string; message: string }[];
}

/**
 * Creates the run of a recording whose replies are complete. Its job starts at once, or waits for the user's others.
 * @throws ProblemError 409 when the recording was abandoned, or the team reached a quota, 422 when the experiment is
 *   gone
 */
export async function finishRecording(
  client: PoolClient,
  recording: Recording,
  run: RecordedRun,
): Promise<{ jobId: string; laneId: string }> {
  const { runId } = recording;
  const { teamId, userId } = run;
  await lockUser(client, userId);
  await closeRecording(client, recording);
  const laneId = await new LaneRepository(client, teamId).ensureRecordedLane();
  const total = run.positions.length * run.config.samples;
  const jobId = await createJob(client, {
    teamId,
    userId,
    type: 'tool_eval',
    resultRef: runId,
    total,
    generation: GENERATION,
  });
  await insertRecordedRun(client, jobId, recording, run);
  await insertRow(client, 'target', {
    run_id: runId,
    ordinal: 0,
    lane_id: laneId,
    user_id: userId,
    provider_id: NO_PROVIDER,
    provider_key: RECORDED,
    model_id: run.name,
    recorded: true,
    n: total,
    exchange_bytes: await countReplies(client, runId),
  });
  await insertWarnings(client, runId, run.warnings);
  await logEvents(
    client,
    jobId,
    run.warnings.map((data) => ({ name: 'eval_warning', data })),
  );
  await admitJobs(client, userId);
  await joinExperiment(client, teamId, run.experimentId);
  await countWork(client, { teamId, jobIds: [jobId], items: total });
  return { jobId, laneId };
}

async function countReplies(client: PoolClient, runId: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    'SELECT coalesce(sum(octet_length(body)), 0)::int8 AS bytes FROM exchange WHERE run_id = $1',
    [runId],
  );
  return rows[0]!.bytes;
}

/** Deletes the row of a recording, and locks the suite version that its run will pin. */
async function closeRecording(client: PoolClient, { runId, suiteId, suite }: Recording): Promise<void> {
  const closed = await client.query('DELETE FROM recording WHERE run_id = $1', [runId]);
  // A process of the previous release may have removed the version, because it sees no run that pins it.
  const pinned = await client.query('SELECT 1 FROM suite_version WHERE id = $1 AND suite_id = $2 FOR KEY SHARE', [
    suite.versionId,
    suiteId,
  ]);
  if (closed.rowCount === 0 || pinned.rowCount === 0) throw recordingIsGone();
}

async function insertRecordedRun(
  client: PoolClient,
  jobId: string,
  { runId, suiteId, suite }: Recording,
  { teamId, userId, tokenId, positions, config, experimentId }: RecordedRun,
): Promise<void> {
  await insertRow(client, 'run', {
    id: runId,
    team_id: teamId,
    user_id: userId,
    token_id: tokenId,
    job_id: jobId,
    generation: GENERATION,
    suite_id: suiteId,
    suite_version_id: suite.versionId,
    suite_name: suite.name,
    suite_version: suite.version,
    status: 'pending',
    config: JSON.stringify(config),
    samples: config.samples,
    case_positions: positions.length === suite.caseCount ? [] : positions,
    experiment_id: experimentId,
    worker_level: SUBMIT_LEVEL,
  });
}

const WARNINGS = new BatchColumns<{ code: string; message: string }>({
  code: ['text', ({ code }) => code],
  message: ['text', ({ message }) => message],
});

async function insertWarnings(client: PoolClient, runId: string, warnings: RecordedRun['warnings']): Promise<void> {
  await client.query(
    `INSERT INTO run_warning (run_id, code, message, at, generation)
     SELECT $1, u.code, u.message, now(), $2 FROM ${WARNINGS.unnest(3)}`,
    [runId, GENERATION, ...WARNINGS.values(warnings)],
  );
}

const recordingIsGone = (): ProblemError =>
  new ProblemError(
    409,
    `No replies arrived for ${STALE_AFTER}, or the suite changed during an upgrade. Nothing was stored. ` +
      'Send the replies again.',
  );

/** Abandons a recording. Housekeeping removes its replies in batches. */
export async function abandonRecording(pool: Pool, { runId }: Pick<Recording, 'runId'>): Promise<void> {
  await pool.query(
    `WITH abandoned AS (DELETE FROM recording WHERE run_id = $1 RETURNING run_id)
     INSERT INTO purge (run_id) SELECT run_id FROM abandoned`,
    [runId],
  );
}

/** Abandons the recordings left behind by their processes. */
export async function abandonStaleRecordings(pool: Pool): Promise<void> {
  await pool.query(
    `WITH abandoned AS (
       DELETE FROM recording WHERE touched_at < now() - interval '${STALE_AFTER}' RETURNING run_id
     )
     INSERT INTO purge (run_id) SELECT run_id FROM abandoned`,
  );
}
