import { spentThisMonth } from '../catalogue/spending.js';
import { embeddingCosts } from '../catalogue/embedding-model.js';
import { inTransaction, type Pool, type PoolClient } from '../connection/pool.js';
import { admitJobs } from './admit-jobs.js';
import { lockUserOrTimeOut } from './lock-user.js';
import { logEvents } from './log-events.js';

/** What a run, or a parent with all its runs, may spend and has spent. Money is US dollars. */
export interface Budget {
  maxRequests: number | null;
  maxCost: number | null;
  /** What is left of the team's monthly cap; null when none applies. */
  capLeft: number | null;
  requests: number;
  cost: number;
  settled: number;
  inFlight: number;
}

/**
 * How many more items of a run may be dispatched: as many as the budget holds if each takes one request and costs
 * the average of those before. Until the first item settles nothing is known of the cost, and a whole window may go.
 * While money is left one item may go, however much it costs.
 */
export function itemsAllowed(budget: Budget): number {
  const { maxRequests, maxCost, capLeft, requests, cost, settled, inFlight } = budget;
  const left = Math.min(maxCost === null ? Infinity : maxCost - cost, capLeft ?? Infinity);
  if (left <= 0) return 0;
  const isCostUnknown = left === Infinity || cost === 0;
  const byCost = isCostUnknown ? Infinity : Math.max(1, Math.floor((left * settled) / cost)) - inFlight;
  const byRequests = maxRequests === null ? Infinity : maxRequests - requests - inFlight;
  return Math.max(0, Math.min(byCost, byRequests));
}

/** Which limit of a budget is reached, as a sentence; undefined while none is. */
export function budgetExceeded({ maxRequests, maxCost, capLeft, requests, cost }: Budget): string | undefined {
  if (maxRequests !== null && requests >= maxRequests) return `${requests} of ${maxRequests} requests are made.`;
  if (maxCost !== null && cost >= maxCost) return `$${round(cost)} of $${round(maxCost)} are spent.`;
  if (capLeft !== null && capLeft <= 0)
    return "The team's monthly cap is spent; PUT /api/settings/spending changes it.";
  return undefined;
}

const round = (usd: number): number => Number(usd.toPrecision(4));

/** SQL: the run `r` of the team `tm`, or its parent `o`, has a budget, or its team a monthly cap. */
export const HAS_BUDGET = `(
  r.max_requests IS NOT NULL OR r.max_cost_usd IS NOT NULL OR tm.monthly_cap_usd IS NOT NULL
  OR o.max_requests IS NOT NULL OR o.max_cost_usd IS NOT NULL)`;

const HAS_PRICED_MODEL = `EXISTS (
  SELECT 1 FROM target t JOIN model m ON m.provider_id = t.provider_id AND m.model_id = t.model_id
  WHERE t.run_id = r.id AND m.input_cost_per_mtok IS NOT NULL AND m.output_cost_per_mtok IS NOT NULL)`;
const MAY_COMPARE_MEANING = `EXISTS (
  SELECT 1 FROM suite_version_case c
  WHERE c.version_id = r.suite_version_id AND strpos(c.body, '"semantic"') > 0)`;

/**
 * SQL of what is left of the team's cap, if the run costs anything that is known: when it has cost something, when one
 * of its models has prices, or when cases are compared by meaning and the embedding model has. CASE keeps the order, so
 * that cases are searched only where that decides.
 */
const CAP_LEFT = `CASE
  WHEN tm.monthly_cap_usd IS NULL THEN NULL
  WHEN s.cost > 0 OR ${HAS_PRICED_MODEL}
    OR CASE WHEN ${embeddingCosts('r.team_id')} THEN ${MAY_COMPARE_MEANING} ELSE false END
  THEN tm.monthly_cap_usd - ${spentThisMonth('r.team_id')} END`;

/** The budgets of those of these runs that have one. A child run shares that of its parent with its siblings. */
export async function readBudgets(client: Pool | PoolClient, runIds: readonly string[]): Promise<Map<string, Budget>> {
  const { rows } = await client.query<{ id: string } & Budget>({
    name: 'read_budgets',
    text: `SELECT r.id, coalesce(o.max_requests, r.max_requests) AS "maxRequests",
       coalesce(o.max_cost_usd, r.max_cost_usd) AS "maxCost", ${CAP_LEFT} AS "capLeft",
       s.requests, s.cost, s.settled,
       (SELECT count(*)::int FROM in_flight f WHERE f.run_id = ANY (s.runs)) AS "inFlight"
     FROM run r JOIN team tm ON tm.id = r.team_id LEFT JOIN orchestration o ON o.id = r.orchestration_id
     CROSS JOIN LATERAL (
       SELECT array_agg(DISTINCT t.run_id) AS runs, sum(t.requests)::int AS requests, sum(t.cost_usd) AS cost,
         sum(t.settled)::int AS settled
       FROM run same JOIN target t ON t.run_id = same.id
       WHERE same.id = r.id OR same.orchestration_id = r.orchestration_id
     ) s
     WHERE r.id = ANY ($1) AND ${HAS_BUDGET}`,
    values: [runIds],
  });
  return new Map(rows.map(({ id, ...budget }) => [id, budget]));
}

/** A run that has a budget, items left and nothing in flight: its budget may be spent, by its siblings too. */
export interface RunToStop {
  id: string;
  teamId: string;
  jobId: string;
  userId: string;
}

export async function runsMaybeOverBudget(pool: Pool): Promise<RunToStop[]> {
  const { rows } = await pool.query<RunToStop>({
    name: 'runs_maybe_over_budget',
    text: `SELECT r.id, r.team_id AS "teamId", r.job_id AS "jobId", r.user_id AS "userId"
     FROM run r JOIN team tm ON tm.id = r.team_id LEFT JOIN orchestration o ON o.id = r.orchestration_id
     WHERE (r.status = 'running' OR (r.status = 'queued' AND o.id IS NOT NULL)) AND ${HAS_BUDGET}
       AND r.worker_level <= level_of_session()
       AND EXISTS (SELECT 1 FROM target t WHERE t.run_id = r.id AND t.active_for IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM in_flight f WHERE f.run_id = r.id)`,
  });
  return rows;
}

/**
 * Stops a run whose budget is spent, once what it had in flight is settled. The dispatcher has handed out nothing
 * since (`itemsAllowed`).
 * @returns the id of the job that changed
 */
export async function stopIfOverBudget(pool: Pool, run: RunToStop): Promise<string | undefined> {
  return inTransaction(pool, async (client) => {
    await lockUserOrTimeOut(client, run.userId);
    // Whoever holds the targets keeps the dispatcher out.
    const targets = await client.query<{ active: boolean }>(
      'SELECT active_for IS NOT NULL AS active FROM target WHERE run_id = $1 ORDER BY ordinal FOR UPDATE',
      [run.id],
    );
    const budget = (await readBudgets(client, [run.id])).get(run.id);
    const reason = budget && budgetExceeded(budget);
    const hasItemsLeft = targets.rows.some(({ active }) => active);
    if (!budget || reason === undefined || budget.inFlight > 0 || !hasItemsLeft) return undefined;
    const stopped = await client.query(
      `UPDATE run SET status = 'budget_exceeded', finished_at = now()
       WHERE id = $1 AND status IN ('queued', 'running')`,
      [run.id],
    );
    if (stopped.rowCount === 0) return undefined;
    await client.query('UPDATE target SET active = false WHERE run_id = $1', [run.id]);
    await client.query(`UPDATE job SET status = 'budget_exceeded', finished_at = now(), detail = $2 WHERE id = $1`, [
      run.jobId,
      reason,
    ]);
    await logEvents(client, run.jobId, [
      { name: 'job_completed', data: { status: 'budget_exceeded', result_ref: run.id, detail: reason } },
    ]);
    await admitJobs(client, run.userId);
    return run.jobId;
  });
}
