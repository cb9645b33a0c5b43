import { notFound } from '#lib/contracts/input/problem';
import type { CurrentCost } from '#lib/contracts/billing';
import { costByPrices, type ModelPrices, type Usage } from '#lib/contracts/cost';
import type { Pool } from '../connection/pool.js';
import { TeamScoped } from '../team-isolation.js';
import { PRICE_COLUMNS } from './for-workers/connections.js';
import { usageColumns } from './for-workers/result-table.js';

/** Usage and cost of the requests to a target, and the current prices of its model. */
interface BilledTarget extends ModelPrices, Omit<Usage, 'reportedCostUsd'> {
  target: string;
  requests: number;
  scored: number;
  billed: number;
  /** Cost of the results whose tokens were counted. */
  countedCost: number;
  /** Number of results with a cost billed by the provider. */
  reported: number;
}

/** The cost of a team's runs at current prices, from the counters that settling keeps. */
export class CurrentCostRepository extends TeamScoped<Pool> {
  /** @throws ProblemError 404 */
  async read(runId: string): Promise<CurrentCost> {
    // Token counts are far below 2^53.
    const { rows } = await this.db.query<BilledTarget>(
      `SELECT t.provider_key || '::' || t.model_id AS target, t.requests, t.settled - t.errored AS scored,
         t.cost_usd AS billed, t.counted_cost_usd AS "countedCost", t.cost_reported AS reported,
         ${usageColumns('t')},
         ${PRICE_COLUMNS}
       FROM run r JOIN target t ON t.run_id = r.id
         LEFT JOIN model m ON m.provider_id = t.provider_id AND m.model_id = t.model_id
       WHERE r.id = $1 AND r.team_id = $2 ORDER BY t.ordinal`,
      [runId, this.teamId],
    );
    if (rows.length === 0) throw notFound('run', runId);
    const targets = rows.map(currentCostOf);
    const isUnknown = targets.some(({ cost_usd: cost }) => cost === null);
    return {
      cost_usd: isUnknown ? null : targets.reduce((sum, { cost_usd: cost }) => sum + (cost ?? 0), 0),
      targets,
    };
  }
}

/**
 * Uncounted results keep their recorded cost, and so do those with a cost billed by the provider. The cost of replies
 * that are neither counted nor billed is unknown.
 */
function currentCostOf(of: BilledTarget): CurrentCost['targets'][number] {
  const { target, requests, scored, billed, countedCost, reported } = of;
  if (reported > 0) return { target, billed_usd: billed, cost_usd: billed, by: 'provider' };
  const isCounted = of.promptTokens !== 0 || of.completionTokens !== 0;
  const isUnknown = !isCounted && billed === 0 && requests > 0 && scored > 0;
  const byPrices = isCounted ? costByPrices(of, of) : 0;
  const cost = isUnknown || byPrices === null ? null : Math.max(0, billed - countedCost) + byPrices;
  return { target, billed_usd: billed, cost_usd: cost, by: 'prices' };
}
