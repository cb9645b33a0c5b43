import { ProblemError } from '#lib/contracts/problem';
import type { Estimate, RunConfig, RunInput } from '#lib/contracts/run';
import { newId } from '#lib/runtime/ids';
import { admitJobs } from './admit-jobs.js';
import { lockUser } from './lock-user.js';
import { logEvents } from './log-events.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { lockProviders } from '../catalogue/move-targets.js';
import { NOT_DRAFT } from '../catalogue/case-pages.js';

export interface ResolvedTarget {
  providerId: string;
  providerKey: string;
  modelId: string;
  laneId: string;
  /** Whether what it costs is known. */
  priced: boolean;
  params: unknown;
  systemPrompt: string | null;
}

/**
 * Writes a run: its job, the suite version it pins and one row per target; however many items, a few rows.
 * The job starts at once, or waits as `pending` when the user has as many running as allowed.
 * @throws ProblemError 422 when the filter leaves no case, 404 when the suite is gone.
 */
export async function submitRun(
  pool: Pool | PoolClient,
  submission: {
    teamId: string;
    userId: string;
    suiteId: string;
    input: RunInput & Pick<RunConfig, 'metrics' | 'cache'>;
    targets: ResolvedTarget[];
    estimate?: Estimate;
  },
): Promise<{ jobId: string; runId: string }> {
  const { teamId, userId, suiteId, input, targets } = submission;
  return inTransaction(pool, async (client) => {
    const jobId = newId();
    const runId = newId();
    const suite = await pinSuiteVersion(client, teamId, suiteId);
    const positions = await selectCases(client, suite, input.case_filter);
    const n = positions.length * input.samples;
    const total = n * targets.length;
    if (total > MOST_ITEMS) throw tooManyItems(positions.length, input.samples, targets.length);
    const { suite_id: _suite, models: _models, experiment_id: experimentId, ...config } = input;
    await client.query(
      `INSERT INTO job (id, team_id, user_id, type, status, result_ref, total)
        VALUES ($1, $2, $3, 'tool_eval', 'pending', $4, $5)`,
      [jobId, teamId, userId, runId, total],
    );
    await client.query(
      `INSERT INTO run (id, team_id, user_id, job_id, suite_id, suite_version_id, suite_name, suite_version, status,
        config, samples,
         case_positions, experiment_id, max_requests, max_cost_usd, estimate, model_order)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        runId,
        teamId,
        userId,
        jobId,
        suiteId,
        suite.versionId,
        suite.name,
        suite.version,
        JSON.stringify(config satisfies RunConfig),
        input.samples,
        positions.length === suite.caseCount ? [] : positions,
        experimentId,
        input.budget?.max_requests ?? null,
        input.budget?.max_cost_usd ?? null,
        submission.estimate ? JSON.stringify(submission.estimate) : null,
        input.model_order,
      ],
    );
    await lockUser(client, userId);
    await lockProviders(client, '$1', [targets.map((t) => t.providerId)]);
    const made = await client.query(
      `INSERT INTO target (run_id, ordinal, lane_id, user_id, provider_id, provider_key, model_id, params,
        system_prompt, n)
       SELECT $1, t.ordinal - 1, coalesce(m.lane_id, p.lane_id), $2, t.provider, t.key, t.model, t.params, t.prompt,
         $3
       FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[]) WITH ORDINALITY AS t(provider, key,
         model, params, prompt, ordinal)
         JOIN provider p ON p.id = t.provider LEFT JOIN model m ON m.provider_id = p.id AND m.model_id = t.model`,
      [
        runId,
        userId,
        n,
        targets.map((t) => t.providerId),
        targets.map((t) => t.providerKey),
        targets.map((t) => t.modelId),
        targets.map((t) => JSON.stringify(t.params)),
        targets.map((t) => t.systemPrompt),
      ],
    );
    if (made.rowCount !== targets.length)
      throw new ProblemError(422, 'A provider of the run was deleted just now.', [
        { path: '/models', message: 'name one that is there' },
      ]);
    await logEvents(client, jobId, [
      { name: 'job_created', data: { type: 'tool_eval', status: 'pending', result_ref: runId } },
    ]);
    await admitJobs(client, userId);
    return { jobId, runId };
  });
}

/** Items are counted in Postgres' integers. */
const MOST_ITEMS = 2 ** 31 - 1;

const tooManyItems = (cases: number, samples: number, models: number): ProblemError =>
  new ProblemError(
    422,
    `${cases} cases x ${samples} samples x ${models} models are ${cases * samples * models} items, ` +
      `and a run may have ${MOST_ITEMS}. Ask for fewer samples or models, or for some of the cases ` +
      'with case_filter.',
    [{ path: samples > 1 ? '/samples' : '/models', message: 'is too much for so many cases' }],
  );

export interface PinnedSuite {
  versionId: string;
  version: number;
  name: string;
  caseCount: number;
}

/** The immutable copy of the suite as it is now; made by the first run of this version, shared by the others. */
export async function pinSuiteVersion(client: PoolClient, teamId: string, suiteId: string): Promise<PinnedSuite> {
  // FOR UPDATE: nobody edits the suite while it is copied, and two first runs do not copy it twice.
  const { rows } = await client.query<{ version: number; name: string }>(
    `SELECT version, name FROM suite WHERE id = $1 AND team_id = $2 FOR UPDATE`,
    [suiteId, teamId],
  );
  const suite = rows[0];
  if (!suite)
    throw new ProblemError(422, `No suite with id "${suiteId}" in this team.`, [
      { path: '/suite_id', message: 'does not exist' },
    ]);
  const versionId = (await knownVersion(client, suiteId, suite.version)) ?? (await makeVersion(client, suiteId));
  const count = await client.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM suite_version_case WHERE version_id = $1',
    [versionId],
  );
  return { versionId, version: suite.version, name: suite.name, caseCount: count.rows[0]!.n };
}

/** Held until the transaction ends, so that it is not removed before a run pins it (`removeUnusedVersions`). */
async function knownVersion(client: PoolClient, suiteId: string, version: number): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM suite_version WHERE suite_id = $1 AND version = $2 FOR KEY SHARE',
    [suiteId, version],
  );
  return rows[0]?.id;
}

async function makeVersion(client: PoolClient, suiteId: string): Promise<string> {
  const versionId = newId();
  await client.query(
    `INSERT INTO suite_version (id, suite_id, version, name, description, system_prompt, tools, pass_threshold)
     SELECT $2, id, version, name, description, system_prompt, tools, pass_threshold FROM suite WHERE id = $1`,
    [suiteId, versionId],
  );
  await client.query(
    `INSERT INTO suite_version_case (version_id, position, case_id, category, tags, body)
     SELECT $2, row_number() OVER (ORDER BY position, id) - 1, id, category, tags, body FROM suite_case
       WHERE suite_id = $1`,
    [suiteId, versionId],
  );
  return versionId;
}

/** Positions of the cases that take part: those that the filter leaves, without drafts. */
async function selectCases(client: PoolClient, suite: PinnedSuite, filter: RunInput['case_filter']): Promise<number[]> {
  const { rows } = await client.query<{ position: number }>(
    `SELECT position FROM suite_version_case WHERE version_id = $1 AND ($2::text[] IS NULL OR tags && $2)
      AND ($3::text IS NULL OR category = $3)
       AND ${NOT_DRAFT} ORDER BY position`,
    [suite.versionId, filter?.tags?.length ? filter.tags : null, filter?.category ?? null],
  );
  if (rows.length) return rows.map((row) => row.position);
  if (suite.caseCount === 0)
    throw new ProblemError(
      422,
      `The suite "${suite.name}" has no test cases. Add one with POST /api/tool-suites/{id}/cases.`,
    );
  throw filter
    ? new ProblemError(422, 'The case filter leaves no test case.', [
        { path: '/case_filter', message: 'matches no case of the suite' },
      ])
    : new ProblemError(
        422,
        `All test cases of the suite "${suite.name}" are drafts. Look at them, and take "draft" away ` +
          'where they are right.',
      );
}
