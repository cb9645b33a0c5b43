import type { CaseInput } from '#lib/contracts/case';
import { ProblemError } from '#lib/contracts/input/problem';
import type { JobStatus } from '#lib/contracts/job-status';
import type { JudgeOfRun } from '#lib/contracts/judge-of-run';
import type { RunConfig, RunInput } from '#lib/contracts/run-input';
import type { Suite } from '#lib/contracts/suite';
import type { TryInput } from '#lib/contracts/try';
import type { RunMetric } from '#lib/contracts/metric';
import { WAITING_FOR } from '#lib/contracts/values/jobs';
import { newId } from '#lib/runtime/ids';
import { insertRow } from '../connection/insert-row.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { takeTurn } from '../connection/take-turn.js';
import { IS_RESTING, toMinute } from '../rests.js';
import { deleteRuns, purgeRun } from '../upkeep/delete-run.js';
import { cancelFamily } from './cancel-job.js';
import { submitRun, type ResolvedTarget } from './submit-run.js';

// A case is tried out by a run of one case: it passes through lanes, budgets and spending like every other run, so its
// verdict is that of a run. It is hidden, its job counts towards no limit of its user, its version of a suite is its
// own, and the reply cache is off. A lease ties it to the request that waits for it: when that has its answer, or goes
// away, or dies, everything of it is removed except its cost.

const MAX_OF_USER = 4;
const MAX_OF_TEAM = 10;
/** Suggested delay before the next attempt. */
const RETRY_AFTER_MS = 5000;
const LEASE = '20 seconds';
const RENEWED_EVERY = '5 seconds';
/** An automatic judge of the team judges nothing below 0. */
const NO_JUDGE: JudgeOfRun = { judge: null, when: 'after', below: 0 };

/** The suite's settings for a try-out. */
export type TriedSuite = Pick<Suite, 'name' | 'tools' | 'system_prompt' | 'pass_threshold' | 'conversation'>;

export interface NewTryOut {
  teamId: string;
  userId: string;
  tokenId: string | null;
  suite: TriedSuite;
  input: TryInput;
  metrics: RunMetric[];
  targets: ResolvedTarget[];
}

export interface TryOut {
  runId: string;
  jobId: string;
  userId: string;
}

/** @throws ProblemError 429 while the user, or the team, has its maximum number of try-outs running */
export async function startTryOut(client: PoolClient, of: NewTryOut): Promise<TryOut> {
  const { teamId, userId, tokenId, suite, input, metrics, targets } = of;
  // Starts of one team are serialised, so that each counts the others.
  await takeTurn(client, 'try', teamId);
  await refuseTooManyTries(client, of);
  const versionId = await storeVersion(client, suite, input.case);
  const { jobId, runId } = await submitRun(client, {
    teamId,
    userId,
    tokenId,
    suiteId: versionId,
    input: { ...toRunInput(versionId, input), metrics, cache: 'off', judge: NO_JUDGE },
    targets,
    of: { suiteVersionId: versionId, positions: [0], firstSample: 0, isOwn: true },
    isTry: true,
  });
  await client.query(
    `INSERT INTO try_out (run_id, team_id, user_id, lease_until) VALUES ($1, $2, $3, now() + interval '${LEASE}')`,
    [runId, teamId, userId],
  );
  return { runId, jobId, userId };
}

/**
 * A start counts again under its lock; called earlier, this saves the work before a start.
 * @throws ProblemError 429 while the user, or the team, has its maximum number of try-outs running
 */
export async function refuseTooManyTries(
  db: Pool | PoolClient,
  { teamId, userId }: Pick<NewTryOut, 'teamId' | 'userId'>,
): Promise<void> {
  const { rows } = await db.query<{ own: number; all: number }>(
    `SELECT count(*)::int AS all, (count(*) FILTER (WHERE user_id = $2))::int AS own
     FROM try_out WHERE team_id = $1 AND lease_until > now()`,
    [teamId, userId],
  );
  const { own, all } = rows[0]!;
  if (own < MAX_OF_USER && all < MAX_OF_TEAM) return;
  const who = own < MAX_OF_USER ? `Your team is trying out ${all} cases` : `You are trying out ${own} cases`;
  throw new ProblemError(429, `${who}. Try again when one of them is done.`, undefined, RETRY_AFTER_MS);
}

/** A version that belongs to no suite, with the one case. */
async function storeVersion(client: PoolClient, suite: TriedSuite, input: CaseInput): Promise<string> {
  const id = newId();
  await insertRow(client, 'suite_version', {
    id,
    suite_id: id,
    version: 1,
    name: suite.name,
    description: '',
    system_prompt: suite.system_prompt,
    tools: JSON.stringify(suite.tools),
    pass_threshold: suite.pass_threshold,
    conversation: suite.conversation && JSON.stringify(suite.conversation),
    has_conversations: Boolean(input.conversation),
  });
  await insertRow(client, 'suite_version_case', {
    version_id: id,
    position: 0,
    case_id: newId(),
    category: input.category ?? null,
    tags: input.tags ?? [],
    body: JSON.stringify(input),
  });
  return id;
}

/** The settings of its run. The texts of the suite are in its version. */
function toRunInput(versionId: string, input: TryInput): RunInput & Pick<RunConfig, 'max_tokens'> {
  const { temperature, tool_choice, max_tokens, timeout_s, params, system_prompt, models } = input;
  return {
    ...{ temperature, tool_choice, max_tokens, timeout_s, params, system_prompt, models },
    suite_id: versionId,
    samples: 1,
    base_prompt: null,
    tool_overrides: {},
    prompt_version_id: null,
    metrics: [],
    case_filter: null,
    model_order: 'parallel',
    budget: null,
    prompt_cache: 'off',
    experiment_id: null,
  };
}

/**
 * Whether nothing is in progress any more, or only resting models are left. Renews the lease.
 * @throws ProblemError 503 when it was removed meanwhile
 */
export async function hasSettled(pool: Pool, { runId }: TryOut): Promise<boolean> {
  const { rows } = await pool.query<{ settled: boolean }>({
    name: 'try_out_settled',
    text: `WITH renewed AS (
        UPDATE try_out SET lease_until = now() + interval '${LEASE}'
        WHERE run_id = $1 AND lease_until < now() + interval '${LEASE}' - interval '${RENEWED_EVERY}'
      )
      SELECT r.status NOT IN ('pending', 'queued', 'running')
        OR NOT EXISTS (
          SELECT 1 FROM target t WHERE t.run_id = r.id AND t.settled < t.n AND NOT ${IS_RESTING}
        ) AS settled
      FROM try_out o JOIN run r ON r.id = o.run_id WHERE o.run_id = $1`,
    values: [runId],
  });
  if (rows[0]) return rows[0].settled;
  throw new ProblemError(503, 'The try-out was lost. Try again.', undefined, RETRY_AFTER_MS);
}

/** State of a try-out: what its models were asked, and why some have not answered. */
export interface TryOutState {
  status: JobStatus;
  /** What its job waits for, or why it was stopped. */
  detail: string | null;
  targets: { ordinal: number; target: string; settled: boolean; paused: boolean; rests: string | null }[];
  warnings: string[];
}

/** Stops it: no request is made from here on. @returns its state at that time */
export async function endTryOut(client: PoolClient, { runId, jobId, userId }: TryOut): Promise<TryOutState> {
  const before = await client.query<{ status: JobStatus; detail: string | null }>(
    'SELECT status, detail FROM job WHERE id = $1',
    [jobId],
  );
  await cancelFamily(client, { userId, jobId });
  const { rows: targets } = await client.query<TryOutState['targets'][number]>(
    `SELECT t.ordinal, t.provider_key || '::' || t.model_id AS target, t.settled > 0 AS settled,
       l.paused_at IS NOT NULL AS paused,
       'its provider wants no requests until ' || ${toMinute('rest.until')} || ': ' || rest.why AS rests
     FROM target t LEFT JOIN lane l ON l.id = t.lane_id
       LEFT JOIN resting_model rest ON rest.provider_id = t.provider_id AND rest.model_id = t.model_id
         AND rest.until > now()
     WHERE t.run_id = $1 ORDER BY t.ordinal`,
    [runId],
  );
  const { rows: warnings } = await client.query<{ message: string }>(
    'SELECT message FROM run_warning WHERE run_id = $1 AND message IS NOT NULL ORDER BY code',
    [runId],
  );
  const { status, detail } = before.rows[0] ?? { status: 'cancelled' as const, detail: null };
  return { status, detail, targets, warnings: warnings.map(({ message }) => message) };
}

/** Why a model has not answered, as the end of a sentence; undefined when unknown. */
export function waitReason(
  { status, detail }: TryOutState,
  { target, paused, rests }: Pick<TryOutState['targets'][number], 'target' | 'paused' | 'rests'>,
): string | undefined {
  if (status === 'budget_exceeded') return detail ?? undefined;
  if (paused) return 'its lane is paused.';
  if (rests) return rests;
  if (!detail?.startsWith(WAITING_FOR)) return undefined;
  const [names = ''] = detail.slice(WAITING_FOR.length).split(/ (?:since|until) /);
  const isMeant = names.split(', ').some((name) => target === name || target.startsWith(`${name}::`));
  return isMeant ? `w${detail.slice(1)}` : undefined;
}

type Transaction = <Made>(work: (client: PoolClient) => Promise<Made>) => Promise<Made>;

/**
 * Removes everything of a try-out except its cost. Does nothing when it is already removed.
 * @param transact runs the one transaction that waits for locks
 */
export async function removeTryOut(
  pool: Pool,
  runId: string,
  transact: Transaction = (work) => inTransaction(pool, work),
): Promise<void> {
  const isGone = await transact(async (client) => {
    const { rows } = await client.query<{ job_id: string; user_id: string; suite_version_id: string }>(
      'SELECT r.job_id, r.user_id, r.suite_version_id FROM try_out o JOIN run r ON r.id = o.run_id WHERE o.run_id = $1',
      [runId],
    );
    const run = rows[0];
    await client.query('DELETE FROM try_out WHERE run_id = $1', [runId]);
    if (!run) return true;
    await cancelFamily(client, { userId: run.user_id, jobId: run.job_id });
    if ((await deleteRuns(client, [runId])) === 'unfinished') throw new Error(`The try-out ${runId} goes on.`);
    await client.query('DELETE FROM suite_version WHERE id = $1', [run.suite_version_id]);
    return false;
  });
  if (!isGone) while (await purgeRun(pool, runId));
}

/** Try-outs whose request died with its process. */
export async function abandonedTryOuts(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ run_id: string }>(
    'SELECT run_id FROM try_out WHERE lease_until < now() ORDER BY lease_until LIMIT 1000',
  );
  return rows.map(({ run_id }) => run_id);
}
