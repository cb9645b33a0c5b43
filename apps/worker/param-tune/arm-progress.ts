import type { LogEvent } from '#lib/contracts/event';
import { targetName } from '#lib/contracts/target-name';
import type { ArmProgress } from '#lib/param-tune/rows/arms';
import type { ArmFigures } from '#lib/param-tune/rows/param-tunes';
import { readRunTotals, type RunTotals } from '#lib/tuning/rows/for-workers/trial-results';
import { caseMeanInterval } from '#lib/scoring/statistics/intervals';
import { statesOf } from '#lib/param-tune/race';
import type { ParamTuneContext, TargetRace } from './tune-context.js';
import { armKey, isOfSearch } from './trial-runs.js';

/**
 * What to store and announce about the arms: the figures of those measured since this job's last step. A resume repeats
 * some of the same runs, so the first step of its job measures all arms, and announces only changes. Later steps may
 * reach existing runs again, and measure those arms, too. A search that takes another path than before drops the arms
 * that it leaves behind.
 */
export async function progressOf(
  { pool, orchestration, state }: ParamTuneContext,
  races: readonly TargetRace[],
): Promise<{ arms: ArmProgress[]; events: LogEvent[] }> {
  const runs = Map.groupBy(orchestration.children.filter(isOfSearch), ({ arm }) => arm);
  const seen = state.jobId === orchestration.jobId ? (state.seen ?? 0) : 0;
  const fresh = new Set(orchestration.children.slice(seen).map(({ arm }) => arm));
  const states = races.map(({ race }) => statesOf(race));
  for (const [n, { ordinal, arms: own }] of races.entries())
    for (const [index, { rung }] of states[n]!)
      if (own[index]!.known?.rung !== rung) fresh.add(armKey(ordinal, own[index]!.arm));
  const groups = [...runs].filter(([arm]) => fresh.has(arm)).map(([arm, of]) => [arm, of.map(({ id }) => id)] as const);
  const totals = await readRunTotals(pool, new Map(groups));
  const arms: ArmProgress[] = [];
  const events: LogEvent[] = [];
  for (const [n, { ordinal, target, arms: own, race }] of races.entries()) {
    for (const [index, { arm }] of own.entries())
      if (!states[n]!.has(index) && fresh.has(armKey(ordinal, arm)))
        arms.push({ target: ordinal, arm, state: 'dropped', rung: null, tied: false, figures: null });
    for (const [index, { state: reached, rung }] of states[n]!) {
      const { arm, config, known } = own[index]!;
      const total = totals.get(armKey(ordinal, arm));
      const figures = total ? figuresOf(race.scores.scores(index), total) : null;
      arms.push({ target: ordinal, arm, state: reached, rung, tied: false, figures });
      if (!figures || rung === null) continue;
      if (known && known.rung === rung && known.figures === JSON.stringify(figures)) continue;
      const { cases, mean, ci, cost_usd, latency_p50_ms: latency_ms } = figures;
      const name = targetName(target.target);
      const measured = { arm, target: name, config, rung, cases, mean, ci, cost_usd, latency_ms, state: reached };
      events.push({ name: 'tune_combo_result', data: { tune_id: orchestration.id, ...measured } });
    }
  }
  return { arms, events };
}

/** @param scores the mean of each case; NaN for a case without a score */
function figuresOf(scores: Float64Array, totals: RunTotals): ArmFigures {
  const scored = scores.filter((score) => !Number.isNaN(score));
  const sum = scored.reduce((all, score) => all + score, 0);
  return {
    cases: scored.length,
    samples: totals.samples,
    mean: scored.length ? sum / scored.length : null,
    ci: caseMeanInterval(scored),
    pass_rate: totals.passRate,
    errored: totals.errored,
    cost_usd: totals.costUsd,
    cost_per_case_usd: totals.costPerRequestUsd,
    tokens: totals.tokens,
    latency_p50_ms: totals.latencyP50Ms,
    latency_p95_ms: totals.latencyP95Ms,
  };
}
