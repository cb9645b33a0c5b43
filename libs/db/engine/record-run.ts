import { RECORDED } from '#lib/contracts/recorded';
import type { RecordedConfig } from '#lib/contracts/run';
import { ProblemError } from '#lib/contracts/problem';
import { newId } from '#lib/runtime/ids';
import { admitJobs } from './admit-jobs.js';
import { LaneRepository } from '../catalogue/lanes.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { pinSuiteVersion, type PinnedSuite } from './submit-run.js';
import { NOT_DRAFT } from '../catalogue/case-pages.js';

/**
 * How a recorded run comes about. While its replies come in there is no run: `recording` has a row of it, and
 * `exchange` its replies, written in pieces, each in a commit of its own. The last commit makes job, run and target
 * and takes the row away, so that the run is there at once and whole. Of an upload that broke off the row is left,
 * and what it stands for goes the way of deleted runs.
 */
export interface Recording {
  /** Of the run to be. */
  runId: string;
  suiteId: string;
  suite: PinnedSuite;
}

/** One that nobody has added to for so long was left behind by its process. */
const ABANDONED = '15 minutes';

/** @throws ProblemError 422 when the team has no such suite, or it has no cases */
export async function beginRecording(pool: Pool, teamId: string, suiteId: string): Promise<Recording> {
  return inTransaction(pool, async (client) => {
    const suite = await pinSuiteVersion(client, teamId, suiteId);
    if (suite.caseCount === 0)
      throw new ProblemError(
        422,
        `The suite "${suite.name}" has no test cases. Add one with POST /api/tool-suites/{id}/cases.`,
      );
    const runId = newId();
    await client.query('INSERT INTO recording (run_id, suite_version_id) VALUES ($1, $2)', [runId, suite.versionId]);
    return { runId, suiteId, suite };
  });
}

/** What a reply is found its case by, and what has to be known of that. */
export interface NamedCase {
  position: number;
  id: string;
  name: string | null;
  isDraft: boolean;
  isChain: boolean;
  /** Its text speaks of comparing by meaning. */
  maybeSemantic: boolean;
}

/** The cases of a suite's version in order, page by page. */
export async function* readNamedCases(pool: Pool, versionId: string, pageSize = 1000): AsyncGenerator<NamedCase[]> {
  for (let after = -1; ;) {
    const { rows } = await pool.query<NamedCase>(
      `SELECT position, case_id AS id, body::json ->> 'name' AS name, NOT ${NOT_DRAFT} AS "isDraft",
         coalesce(body::json ->> 'multi_turn' = 'true', false) AS "isChain", strpos(body, '"semantic"') > 0 AS
           "maybeSemantic"
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

/**
 * Keeps some replies, or none, and says that the recording goes on. @throws ProblemError 409 when it was taken to
 * be left behind
 */
export async function storeRecordedReplies(
  pool: Pool,
  { runId }: Pick<Recording, 'runId'>,
  replies: readonly RecordedReply[],
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query('UPDATE recording SET touched_at = now() WHERE run_id = $1', [runId]);
    if (rowCount === 0) throw leftBehind();
    if (replies.length === 0) return;
    await client.query(
      `INSERT INTO exchange (run_id, target, case_position, sample, body) SELECT $1, 0, *
        FROM unnest($2::int[], $3::int[], $4::bytea[])`,
      [
        runId,
        replies.map((one) => one.casePosition),
        replies.map((one) => one.sample),
        replies.map((one) => Buffer.from(one.exchange.buffer, one.exchange.byteOffset, one.exchange.byteLength)),
      ],
    );
  });
}

/** No provider has it. A release that knows nothing of recorded runs looks for it and asks nobody. */
const NO_PROVIDER = '00000000-0000-0000-0000-000000000000';

/**
 * Makes the run of a recording whose replies are all there, with a job that starts at once or waits for its user's
 * others.
 * @param of.positions of the cases that the replies are of, in order
 * @throws ProblemError 409 when the recording was taken to be left behind
 */
export async function finishRecording(
  client: PoolClient,
  { runId, suiteId, suite }: Recording,
  of: {
    teamId: string;
    userId: string;
    name: string;
    positions: readonly number[];
    config: RecordedConfig;
    experimentId: string | null;
    warnings: readonly { code: string; message: string }[];
  },
): Promise<{ jobId: string; laneId: string }> {
  const { teamId, userId, positions, config } = of;
  await lockUser(client, userId);
  const { rowCount } = await client.query('DELETE FROM recording WHERE run_id = $1', [runId]);
  // The release before may have thought that nobody needs the version.
  const pinned = await client.query('SELECT 1 FROM suite_version WHERE id = $1 AND suite_id = $2 FOR KEY SHARE', [
    suite.versionId,
    suiteId,
  ]);
  if (rowCount === 0 || pinned.rowCount === 0) throw leftBehind();
  const jobId = newId();
  const laneId = await new LaneRepository(client, teamId).ensureRecordedLane();
  const total = positions.length * config.samples;
  // Of the second generation: only in those does a release that knows nothing of recorded runs look for replies
  // that are there.
  await client.query(
    `INSERT INTO job (id, team_id, user_id, type, status, result_ref, total, generation)
      VALUES ($1, $2, $3, 'tool_eval', 'pending', $4, $5, 2)`,
    [jobId, teamId, userId, runId, total],
  );
  await client.query(
    `INSERT INTO run (id, team_id, user_id, job_id, generation, suite_id, suite_version_id, suite_name,
      suite_version, status, config, samples, case_positions, experiment_id)
     VALUES ($1, $2, $3, $4, 2, $5, $6, $7, $8, 'pending', $9, $10, $11, $12)`,
    [
      runId,
      teamId,
      userId,
      jobId,
      suiteId,
      suite.versionId,
      suite.name,
      suite.version,
      JSON.stringify(config),
      config.samples,
      positions.length === suite.caseCount ? [] : positions,
      of.experimentId,
    ],
  );
  await client.query(
    `INSERT INTO target (run_id, ordinal, lane_id, user_id, provider_id, provider_key, model_id, recorded, n)
      VALUES ($1, 0, $2, $3, $4, $5, $6, true, $7)`,
    [runId, laneId, userId, NO_PROVIDER, RECORDED, of.name, total],
  );
  await client.query(
    `INSERT INTO run_warning (run_id, code, message, at, generation) SELECT $1, w.code, w.message, now(), 2
      FROM unnest($2::text[], $3::text[]) AS w(code, message)`,
    [runId, of.warnings.map(({ code }) => code), of.warnings.map(({ message }) => message)],
  );
  await logEvents(client, jobId, [
    { name: 'job_created', data: { type: 'tool_eval', status: 'pending', result_ref: runId } },
    ...of.warnings.map((data) => ({ name: 'eval_warning' as const, data })),
  ]);
  await admitJobs(client, userId);
  return { jobId, laneId };
}

const leftBehind = (): ProblemError =>
  new ProblemError(
    409,
    `Nothing came in for ${ABANDONED}, or the suite was changed during an upgrade; nothing was kept. ` +
      'Send the replies again.',
  );

/** Gives up a recording: housekeeping removes its replies, in pieces. */
export async function abandonRecording(pool: Pool, { runId }: Pick<Recording, 'runId'>): Promise<void> {
  await pool.query(
    `WITH gone AS (DELETE FROM recording WHERE run_id = $1 RETURNING run_id) INSERT INTO purge (run_id)
      SELECT run_id FROM gone`,
    [runId],
  );
}

/** Gives up those that their processes left behind. */
export async function abandonStaleRecordings(pool: Pool): Promise<void> {
  await pool.query(
    `WITH gone AS (DELETE FROM recording WHERE touched_at < now() - interval '${ABANDONED}'
      RETURNING run_id) INSERT INTO purge (run_id) SELECT run_id FROM gone`,
  );
}
