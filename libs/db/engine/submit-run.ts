import { ProblemError } from '#lib/contracts/input/problem';
import type { Estimate } from '#lib/contracts/estimate';
import type { RunConfig, RunInput } from '#lib/contracts/run-input';
import { newId } from '#lib/runtime/ids';
import { NOT_DRAFT } from '../catalogue/case-pages.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { noCases, pinSuiteVersion, readPinned, type PinnedSuite } from './pin-suite-version.js';
import { writeRuns, type NewRun, type RunParent, type WrittenRun } from './write-runs.js';

export interface ResolvedTarget {
  providerId: string;
  providerKey: string;
  modelId: string;
  laneId: string;
  /** Whether the cost of the model is known: it has prices, or its provider has recently reported billed costs. */
  priced: boolean;
  params: unknown;
  systemPrompt: string | null;
}

export interface Submission {
  teamId: string;
  userId: string;
  /** The token that it was submitted with; null for none. */
  tokenId: string | null;
  suiteId: string;
  input: RunInput & Pick<RunConfig, 'metrics' | 'cache' | 'max_tokens'>;
  targets: ResolvedTarget[];
  estimate?: Estimate;
  /** Set for a child run. */
  parent?: RunParent;
  /** For a child run: used instead of the cases that its filter selects in the current version of the suite. */
  of?: PinnedItems;
  /** It tries a case out: it starts at once and is not visible anywhere. */
  isTry?: boolean;
}

/** Samples of some cases of a suite version. */
interface PinnedItems {
  suiteVersionId: string;
  /** In ascending order. */
  positions: number[];
  /** The number of the first sample, so that it is a new request if the case has been asked before. */
  firstSample: number;
  /** The version belongs to the parent, or to the run that tries a case out, and not to a suite. */
  isOwn?: boolean;
}

/**
 * Writes a run: its job, the suite version that it pins and one row per target. That is a few rows, however many items
 * it has.
 *
 * Lifecycle of a run and its job: both are `pending` until the user has fewer jobs running than the team allows, then
 * `queued` (`admitJobs`). A resumed run is prepared while it is queued (`prepareRun`). Then its targets become active,
 * and the dispatcher takes items of them; with its first item the run is `running` (`dispatchLane`). When every item of
 * a target is settled, the target gets its summary; when every target has one, the run is `completed` (`finishTarget`,
 * `finishRun`). On the way it may be `cancelled` (`cancelJob`) or `budget_exceeded` (`stopIfOverBudget`). From each of
 * these three ends a resume leads back to `pending`, with a new job and the next generation (`resumeRun`).
 *
 * @throws ProblemError 422 when the suite is gone, has no case left, or makes too many items, and when a provider is or
 *   the experiment is gone
 */
export async function submitRun(pool: Pool | PoolClient, submission: Submission): Promise<WrittenRun> {
  return inTransaction(pool, async (client) => {
    const submissions = [{ ...submission, id: newId() }];
    const pinned = await pinSuites(client, submissions);
    const [written] = await writeRuns(client, await planRuns(client, submissions, pinned));
    return written!;
  });
}

/** By suite and version of the submissions. */
export type PinnedSuites = ReadonlyMap<string, PinnedSuite>;

type Asked = Pick<Submission, 'suiteId' | 'of'>;
const keyOf = ({ suiteId, of }: Asked): string => `${suiteId} ${of?.suiteVersionId ?? ''}`;

/**
 * Locks the suites of submissions, and copies those that have no version yet. A transaction that waits for a copy made
 * by another one must not hold a user, which the other locks next.
 * @throws ProblemError 422 when the team has no such suite
 */
export async function pinSuites(
  client: PoolClient,
  submissions: readonly (Asked & Pick<Submission, 'teamId'>)[],
): Promise<PinnedSuites> {
  const pinned = new Map<string, PinnedSuite>();
  const shared = submissions.filter(({ of }) => !of?.isOwn);
  for (const one of shared.toSorted((a, b) => (a.suiteId < b.suiteId ? -1 : 1))) {
    const { teamId, suiteId, of } = one;
    const key = keyOf(one);
    if (!pinned.has(key)) pinned.set(key, await pinSuiteVersion(client, teamId, suiteId, of?.suiteVersionId));
  }
  return pinned;
}

/**
 * The rows to write for submissions, after reading the cases.
 * @param submissions with the ids of their runs
 * @param pinned their suites, except for versions of their own
 * @throws ProblemError 422 as `submitRun` does
 */
export async function planRuns(
  client: PoolClient,
  submissions: readonly (Submission & { id: string })[],
  pinned: PinnedSuites,
): Promise<NewRun[]> {
  const suites = new Map([...pinned].map(([key, suite]) => [key, Promise.resolve(suite)]));
  const positions = new Map<string, Promise<number[]>>();
  const runs: NewRun[] = [];
  for (const submission of submissions) {
    const { input, of } = submission;
    const suite = await once(suites, keyOf(submission), () => readPinned(client, of!.suiteVersionId));
    const chosen =
      of?.positions ??
      (await once(positions, JSON.stringify([suite.versionId, input.case_filter]), () =>
        selectCases(client, suite, input.case_filter),
      ));
    runs.push(toRun(submission, suite, chosen));
  }
  return runs;
}

/** Cached, because child runs of one step mostly have the same suite. */
function once<Value>(known: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>): Promise<Value> {
  const value = known.get(key) ?? read();
  known.set(key, value);
  return value;
}

/** Items are counted in columns of type integer. */
const MAX_ITEMS = 2 ** 31 - 1;

/**
 * @returns the number of items of a run
 * @throws ProblemError 422 when there are too many
 */
export function checkItems({ cases, samples, models }: { cases: number; samples: number; models: number }): number {
  const items = cases * samples * models;
  if (items <= MAX_ITEMS) return items;
  throw new ProblemError(
    422,
    `${cases} cases x ${samples} samples x ${models} models are ${items} items, and a run may have ${MAX_ITEMS}. Use ` +
      'fewer samples or models, or only some of the cases.',
    [{ path: samples > 1 ? '/samples' : '/models', message: 'is too much for so many cases' }],
  ).as('run_too_large', { items, limit: MAX_ITEMS, cases, samples, models });
}

function toRun(
  { id, teamId, userId, tokenId, suiteId, input, targets, estimate, parent, of, isTry }: Submission & { id: string },
  suite: PinnedSuite,
  positions: readonly number[],
): NewRun {
  const { suite_id: _suite, models: _models, experiment_id: experimentId, name, note, ...config } = input;
  checkItems({ cases: positions.length, samples: input.samples, models: targets.length });
  return {
    ...{ id, teamId, userId, tokenId, config: config satisfies RunConfig, experimentId, name, parent, isTry },
    note: note || null,
    modelOrder: input.model_order,
    suite: { ...suite, id: suiteId },
    // Positions in a version that belongs to a parent need not be complete from 0.
    casePositions: positions.length === suite.caseCount && !of?.isOwn ? [] : positions,
    items: positions.length * input.samples,
    targets: targets.map((target) => ({ ...target, params: JSON.stringify(target.params) })),
    estimate: estimate ? JSON.stringify(estimate) : null,
    firstSample: of?.firstSample,
  };
}

/** Positions of the cases that take part: those selected by the filter, without drafts. */
async function selectCases(client: PoolClient, suite: PinnedSuite, filter: RunInput['case_filter']): Promise<number[]> {
  const { rows } = await client.query<{ position: number }>(
    `SELECT position FROM suite_version_case
     WHERE version_id = $1 AND ($2::text[] IS NULL OR tags && $2) AND ($3::text IS NULL OR category = $3)
       AND ${NOT_DRAFT}
     ORDER BY position`,
    [suite.versionId, filter?.tags?.length ? filter.tags : null, filter?.category ?? null],
  );
  if (rows.length) return rows.map((row) => row.position);
  if (suite.caseCount === 0) throw noCases(suite);
  throw filter
    ? new ProblemError(422, 'The case filter matches no test case.', [
        { path: '/case_filter', message: 'matches no case of the suite' },
      ]).as('no_case_matches')
    : new ProblemError(
        422,
        `All test cases of the suite "${suite.name}" are drafts. Review them, and unmark those that are right.`,
      ).as('suite_all_drafts', { suite_id: suite.suiteId, name: suite.name });
}
