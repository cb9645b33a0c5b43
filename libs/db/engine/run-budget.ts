import { auditWork } from '../audit-work.js';
import { spentThisMonthBy, spentThisMonth } from '../catalogue/spending.js';
import { embeddingCosts } from '../catalogue/embedding-model.js';
import { limitOf } from '../catalogue/quotas.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { lockUserOrTimeOut } from './lock-user.js';
import { logEvents } from './log-events.js';

/** Limits and spending of a run, or of a parent with all its runs. Money is US dollars. */
export interface Budget {
  maxRequests: number | null;
  maxCost: number | null;
  /** What is left of the team's monthly cap; null if none applies. */
  capLeft: number | null;
  /** What is left of the monthly cap of the token that asked for it; null if none applies. */
  tokenLeft: number | null;
  tokenName: string | null;
  /** Whether the team stores as much as its quota allows. */
  isStorageFull: boolean;
  /** Whether the run has conversations: an item of it takes many requests, which are counted one by one. */
  hasConversations: boolean;
  /** Requests of a conversation that takes all of its rounds, on average; null when it is not known. */
  mostRounds: number | null;
  requests: number;
  cost: number;
  settled: number;
  inFlight: number;
}

/**
 * How many more items of a run may be dispatched: as many as the budget holds if each takes one request and costs the
 * average so far. Until the first item settles the cost is unknown, and a whole window may be dispatched. While money
 * is left one item may be dispatched, whatever it costs.
 */
export function itemsAllowed(budget: Budget): number {
  const { maxRequests, isStorageFull, requests, cost, settled, inFlight } = budget;
  const left = moneyLeft(budget);
  if (left <= 0 || isStorageFull) return 0;
  if (budget.hasConversations) return conversationsAllowed(budget);
  const isCostUnknown = left === Infinity || cost === 0;
  const byCost = isCostUnknown ? Infinity : Math.max(1, Math.floor((left * settled) / cost)) - inFlight;
  const byRequests = maxRequests === null ? Infinity : maxRequests - requests - inFlight;
  return Math.max(0, Math.min(byCost, byRequests));
}

const moneyLeft = ({ maxCost, capLeft, tokenLeft, cost }: Budget): number =>
  Math.min(maxCost === null ? Infinity : maxCost - cost, capLeft ?? Infinity, tokenLeft ?? Infinity);

/** Conversations that are dispatched before anything is known of their cost. */
const FIRST = 10;
/** Requests of a conversation, while none has ended and its rounds are not known. */
const ASSUMED_REQUESTS = 10;

/**
 * Until one has ended, each is assumed to take all of its rounds: with less, long ones would spend the budget together,
 * and none would end. Later, those in flight have made about half of their requests.
 */
const requestsOfOne = ({ requests, settled, inFlight, mostRounds }: Budget): number =>
  settled === 0 ? (mostRounds ?? ASSUMED_REQUESTS) : Math.max(1, requests / (settled + inFlight / 2));

/** How many requests are left, each at the average cost so far. */
function requestsLeft(budget: Budget): number {
  const { maxRequests, requests, cost } = budget;
  const left = moneyLeft(budget);
  const byCost = left === Infinity || cost === 0 ? Infinity : (left * requests) / cost;
  return Math.min(byCost, maxRequests === null ? Infinity : maxRequests - requests);
}

/** As many as the budget holds to their ends; one while anything is left. */
function conversationsAllowed(budget: Budget): number {
  const { maxRequests, requests, inFlight } = budget;
  // The first requests say what one costs.
  if (requests === 0 && moneyLeft(budget) < Infinity)
    return Math.max(0, Math.min(FIRST, maxRequests ?? FIRST) - inFlight);
  const isSpent = maxRequests !== null && requests >= maxRequests;
  const most = Math.max(isSpent ? 0 : 1, Math.floor(requestsLeft(budget) / requestsOfOne(budget)));
  return Math.max(0, most - inFlight);
}

/**
 * Whether a conversation of a run may send its next request. It is in flight, and so is a request of each of the
 * others: there has to be room for half a conversation of each, because those that go on are to end. One that is alone
 * may go on while anything is left.
 */
export function mayContinue(budget: Budget): boolean {
  const { maxRequests, isStorageFull, requests, inFlight } = budget;
  if (moneyLeft(budget) <= 0 || isStorageFull) return false;
  if (maxRequests !== null && requests + inFlight > maxRequests) return false;
  return inFlight <= 1 || requestsLeft(budget) >= inFlight * Math.max(1, requestsOfOne(budget) / 2);
}

/** The limit of a budget that is reached, as a sentence; undefined if none is. */
export function budgetExceeded(budget: Budget): string | undefined {
  const { maxRequests, maxCost, capLeft, tokenLeft, tokenName, isStorageFull, requests, cost } = budget;
  if (maxRequests !== null && requests >= maxRequests) return `${requests} of ${maxRequests} requests are made.`;
  if (maxCost !== null && cost >= maxCost) return `$${round(cost)} of $${round(maxCost)} are spent.`;
  if (capLeft !== null && capLeft <= 0) return "The team's monthly cap is spent; an owner can raise it.";
  if (tokenLeft !== null && tokenLeft <= 0)
    return `The monthly cap of the token "${tokenName}" is spent; an owner can raise it, or wait for the next month.`;
  if (isStorageFull)
    return (
      'The team stores as many bytes as its quota allows. Delete runs that are not needed, or ask an owner of the ' +
      'team "default" to raise it. Resume the run then.'
    );
  return undefined;
}

const round = (usd: number): number => Number(usd.toPrecision(4));

/** SQL: the team of the run `r` stores as much as its quota allows, as of the last count. */
const IS_STORAGE_FULL = `EXISTS (
  SELECT 1 FROM team_storage s WHERE s.team_id = r.team_id AND s.bytes >= ${limitOf('r.team_id', 'stored_bytes')})`;

/**
 * SQL: the run `r` of the team `tm`, or its parent `o`, has a budget, its team or its token a monthly cap, or its team
 * no room for replies.
 */
export const HAS_BUDGET = `(
  r.max_requests IS NOT NULL OR r.max_cost_usd IS NOT NULL OR tm.monthly_cap_usd IS NOT NULL
  OR o.max_requests IS NOT NULL OR o.max_cost_usd IS NOT NULL
  OR EXISTS (SELECT 1 FROM token k WHERE k.id = r.token_id AND k.monthly_cap_usd IS NOT NULL)
  OR ${IS_STORAGE_FULL})`;

const HAS_PRICED_MODEL = `EXISTS (
  SELECT 1 FROM target t JOIN model m ON m.provider_id = t.provider_id AND m.model_id = t.model_id
  WHERE t.run_id = r.id AND m.input_cost_per_mtok IS NOT NULL AND m.output_cost_per_mtok IS NOT NULL)`;
const MAY_COMPARE_MEANING = `EXISTS (
  SELECT 1 FROM suite_version_case c
  WHERE c.version_id = r.suite_version_id AND strpos(c.body, '"semantic"') > 0)`;

/** SQL: the runs `r` whose budgets are requested, with their accounts: the run itself, or its parent. */
const ASKED = `
  SELECT r.id, r.team_id, r.user_id, r.job_id, r.suite_version_id, r.samples, r.estimate,
    EXISTS (SELECT 1 FROM suite_version v WHERE v.id = r.suite_version_id AND v.has_conversations) AS has_conversations,
    coalesce(o.id, r.id) AS account,
    coalesce(o.max_requests, r.max_requests) AS max_requests, coalesce(o.max_cost_usd, r.max_cost_usd) AS max_cost,
    ${IS_STORAGE_FULL} AS is_storage_full, tm.monthly_cap_usd AS cap,
    k.id AS token_id, k.name AS token_name, k.monthly_cap_usd AS token_cap
  FROM run r JOIN team tm ON tm.id = r.team_id LEFT JOIN orchestration o ON o.id = r.orchestration_id
    LEFT JOIN token k ON k.id = CASE WHEN o.id IS NULL THEN r.token_id ELSE o.token_id END
      AND k.monthly_cap_usd IS NOT NULL`;

/**
 * SQL of a CTE: spending and in-flight items of each account of `asked`, computed once for all of its runs. A run is
 * counted in its targets, a parent in its counters, whatever it has created; their ids are never alike. The counters of
 * a parent include errors that a resume requests again in settled items, requests and cost alike, so its average covers
 * all of them.
 */
const ACCOUNTS = `accounts AS MATERIALIZED (
  SELECT a.account, s.requests, s.cost, s.settled, f.in_flight,
    CASE WHEN a.cap IS NOT NULL THEN a.cap - ${spentThisMonth('a.team_id')} END AS cap_left,
    a.token_cap - ${spentThisMonthBy('a.token_id')} AS token_left
  FROM (SELECT DISTINCT account, team_id, cap, token_id, token_cap FROM asked) a
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(requests), 0)::int AS requests, coalesce(sum(cost_usd), 0) AS cost,
      coalesce(sum(settled), 0)::int AS settled
    FROM (
      SELECT requests, cost_usd, settled FROM target WHERE run_id = a.account
      UNION ALL SELECT requests, cost_usd, done FROM parent_counter WHERE orchestration_id = a.account
    ) counted
  ) s
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS in_flight FROM in_flight WHERE run_id IN (
      SELECT a.account UNION ALL SELECT id FROM run WHERE orchestration_id = a.account AND status = 'running'
    )
  ) f
)`;

/**
 * SQL: the caps of the team and the token apply to the asked run `r`, because it has a known cost: its account `s` has
 * cost something, one of its models has prices, or it compares cases semantically and the embedding model has a price.
 * CASE fixes the order, so that cases are searched only where that decides.
 */
const IS_CAPPED = `CASE
  WHEN s.cap_left IS NULL AND s.token_left IS NULL THEN false
  WHEN s.cost > 0 OR ${HAS_PRICED_MODEL} THEN true
  WHEN ${embeddingCosts('r.team_id')} THEN ${MAY_COMPARE_MEANING}
  ELSE false END`;

/** SQL: the most requests of an item of the asked run `r`, on average, as its estimate has them. */
const MOST_ROUNDS = `(
  SELECT (e #>> '{range,requests,1}')::float8 / greatest(1,
    (e ->> 'cases')::int * r.samples * json_array_length(e -> 'targets') - (e ->> 'cached')::int)
  FROM (SELECT r.estimate::json AS e) estimated)`;

/** The budgets of those of these runs that have one. A child run shares its parent's budget with its siblings. */
export async function readBudgets(client: Pool | PoolClient, runIds: readonly string[]): Promise<Map<string, Budget>> {
  const { rows } = await client.query<{ id: string } & Budget>({
    name: 'read_budgets_of_accounts',
    text: `WITH asked AS (${ASKED} WHERE r.id = ANY ($1) AND ${HAS_BUDGET}), ${ACCOUNTS}
     SELECT r.id, r.max_requests AS "maxRequests", r.max_cost AS "maxCost",
       CASE WHEN c.applies THEN s.cap_left END AS "capLeft", CASE WHEN c.applies THEN s.token_left END AS "tokenLeft",
       r.token_name AS "tokenName", r.is_storage_full AS "isStorageFull", r.has_conversations AS "hasConversations",
       CASE WHEN r.has_conversations AND s.settled = 0 THEN ${MOST_ROUNDS} END AS "mostRounds",
       s.requests, s.cost, s.settled, s.in_flight AS "inFlight"
     FROM asked r JOIN accounts s USING (account) CROSS JOIN LATERAL (SELECT ${IS_CAPPED} AS applies) c`,
    values: [runIds],
  });
  return new Map(rows.map(({ id, ...budget }) => [id, budget]));
}

/** A run whose budget is spent, possibly by its siblings: it has items left, and its account has nothing in flight. */
export interface RunToStop {
  id: string;
  teamId: string;
  jobId: string;
  userId: string;
}

/** Maximum number of runs stopped per team and turn, so that a team with very many does not hold up the others. */
const PER_TEAM = 20;

export async function runsMaybeOverBudget(pool: Pool): Promise<RunToStop[]> {
  const { rows } = await pool.query<RunToStop>({
    name: 'runs_over_budget',
    text: `WITH asked AS (
       ${ASKED}
       WHERE r.status IN ('queued', 'running')
         AND (r.status = 'running' OR o.id IS NOT NULL OR ${IS_STORAGE_FULL}) AND ${HAS_BUDGET}
         AND r.worker_level <= level_of_session()
     ), ${ACCOUNTS}
     SELECT id, "teamId", "jobId", "userId" FROM (
       SELECT r.id, r.team_id AS "teamId", r.job_id AS "jobId", r.user_id AS "userId",
         row_number() OVER (PARTITION BY r.team_id ORDER BY r.id) AS n
       FROM asked r JOIN accounts s USING (account)
       WHERE s.in_flight = 0
         AND (s.requests >= r.max_requests OR s.cost >= r.max_cost OR r.is_storage_full
           OR (least(s.cap_left, s.token_left) <= 0 AND ${IS_CAPPED}))
         AND EXISTS (SELECT 1 FROM target t WHERE t.run_id = r.id AND t.active_for IS NOT NULL)
     ) over
     WHERE n <= $1 ORDER BY n, id LIMIT 1000`,
    values: [PER_TEAM],
  });
  return rows;
}

/**
 * Stops a run whose budget is spent, once its in-flight items are settled. The dispatcher has dispatched nothing since
 * (`itemsAllowed`).
 * @returns the id of the job that changed
 */
export async function stopIfOverBudget(pool: Pool, run: RunToStop): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    await lockUserOrTimeOut(client, run.userId);
    // Holding the targets keeps the dispatcher out.
    const targets = await client.query<{ active: boolean }>(
      'SELECT active_for IS NOT NULL AS active FROM target WHERE run_id = $1 ORDER BY ordinal FOR UPDATE',
      [run.id],
    );
    const budget = (await readBudgets(client, [run.id])).get(run.id);
    const reason = budget && budgetExceeded(budget);
    const hasItemsLeft = targets.rows.some(({ active }) => active);
    if (!budget || reason === undefined || budget.inFlight > 0 || !hasItemsLeft) return undefined;
    const { rows: stopped } = await client.query<{ jobId: string }>(
      `UPDATE run SET status = 'budget_exceeded', finished_at = now()
       WHERE id = $1 AND status IN ('queued', 'running') RETURNING job_id AS "jobId"`,
      [run.id],
    );
    if (!stopped[0]) return undefined;
    const { jobId } = stopped[0];
    await client.query('UPDATE target SET active = false WHERE run_id = $1', [run.id]);
    await client.query(`UPDATE job SET status = 'budget_exceeded', finished_at = now(), detail = $2 WHERE id = $1`, [
      jobId,
      reason,
    ]);
    await logEvents(client, jobId, [
      { name: 'job_completed', data: { status: 'budget_exceeded', result_ref: run.id, detail: reason } },
    ]);
    await auditWork(client, run.teamId, 'job.stop', jobId, { after: { run: run.id }, cause: reason });
    await admitJobs(client, run.userId);
    return jobId;
  });
}
