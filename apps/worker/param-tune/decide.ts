import { DEFAULT_MAX_ERRORED_SHARE } from '#lib/contracts/values/comparison';
import type { NewChildRun, OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import { updateArms, type ArmProgress } from '#lib/param-tune/rows/arms';
import type { TargetOutcome, TuneState } from '#lib/param-tune/rows/param-tunes';
import { readRunTotals } from '#lib/tuning/rows/for-workers/trial-results';
import { CONFIRMING_SAMPLES, OTHERS_CONFIRMED } from '#lib/tuning/confirmation';
import { recommend, type Finalist, type Recommendation } from '#lib/param-tune/recommend';
import type { TuneStep } from '#lib/tuning/tune-step';
import { type Progress, withProgress } from '../orchestration/kind.js';
import { confirm } from './confirm.js';
import { endTune } from './end-tune.js';
import type { ParamTuneContext, TargetRace } from './tune-context.js';
import { armKey, childKey, childOf, isOfSearch } from './trial-runs.js';

/** At the end of the searches: recommends an arm for each model, and has it confirmed on the held-out cases. */
export async function decide(here: ParamTuneContext, races: readonly TargetRace[], step: Progress): Promise<Step> {
  const { orchestration, tune, state } = here;
  const found = await recommendAll(here, races);
  const decided: TuneState = { ...state, targets: found.map(({ outcome }) => outcome) };
  const told = withRecommended(here, step, found);
  const made = new Set(orchestration.children.map(childKey));
  const wanted = tune.heldOut.length === 0 ? [] : found.flatMap((one) => holdoutOf(here, one));
  const children = wanted.filter((child) => !made.has(childKey(child)));
  if (children.length > 0) return { ...told, state: decided, next: 'holdout' satisfies TuneStep, children };
  return withProgress(told, await confirm({ ...here, state: decided }));
}

/** Stores the measurements, then the recommendations. */
const withRecommended = (
  { orchestration }: ParamTuneContext,
  { store, events }: Progress,
  found: readonly Found[],
): Progress => ({
  events,
  store: async (client) => {
    await store?.(client);
    await updateArms(
      client,
      orchestration.id,
      found.flatMap(({ arms }) => arms),
    );
  },
});

interface Found {
  race: TargetRace;
  recommendation: Recommendation;
  outcome: TargetOutcome;
  arms: ArmProgress[];
}

async function recommendAll(
  { pool, orchestration, tune, state }: ParamTuneContext,
  races: readonly TargetRace[],
): Promise<Found[]> {
  const runs = Map.groupBy(orchestration.children.filter(isOfSearch), ({ arm }) => arm);
  const idsOf = (key: string): string[] => (runs.get(key) ?? []).map(({ id }) => id);
  const finalistsOf = ({ race }: TargetRace): number[] => race.finding?.finalists ?? furthest(race);
  const keys = races.flatMap((one) => finalistsOf(one).map((index) => armKey(one.ordinal, one.arms[index]!.arm)));
  const totals = await readRunTotals(pool, new Map(keys.map((key) => [key, idsOf(key)])));
  return races.map((one) => {
    const { ordinal, arms, race } = one;
    const finalists = finalistsOf(one).map((index): Finalist => {
      const { arm, changes } = arms[index]!;
      const of = totals.get(armKey(ordinal, arm));
      const results = of ? of.samples + of.errored : 0;
      return {
        arm,
        changes,
        scores: race.scores.scores(index),
        erroredShare: results === 0 ? 1 : of!.errored / results,
        costPerCase: of?.costPerRequestUsd ?? null,
        latencyP50Ms: of?.latencyP50Ms ?? null,
      };
    });
    const recommendation = recommend(finalists, tune.asked.margin, DEFAULT_MAX_ERRORED_SHARE);
    const { recommended, tied, ranking } = recommendation;
    const before = state.targets?.[ordinal];
    const meanOf = (of: number | null): number | null => race.scores.mean(arms.findIndex(({ arm }) => arm === of)).mean;
    return {
      race: one,
      recommendation,
      outcome: {
        recommended,
        config: arms.find(({ arm }) => arm === recommended)?.config ?? null,
        mean: meanOf(recommended),
        tied,
        ranking: ranking.map(({ arm }) => arm),
        ...(before?.recommended === recommended && before.holdout && { holdout: before.holdout }),
      },
      arms: finalists.map(({ arm }) => ({
        target: ordinal,
        arm,
        state: arm === recommended ? 'recommended' : 'finalist',
        rung: null,
        tied: tied.includes(arm),
        figures: null,
      })),
    };
  });
}

/** For a stopped search: the arms that reached the furthest rung. */
function furthest({ scores, measured }: TargetRace['race']): number[] {
  const reached = new Map(measured.map(({ arm, to }) => [arm, to]));
  const most = Math.max(0, ...reached.values());
  return scores.arms().filter((arm) => reached.get(arm) === most);
}

/** There is nothing to confirm when the base itself is recommended. */
function holdoutOf(
  { tune }: ParamTuneContext,
  { race, recommendation: { recommended, ranking } }: Found,
): NewChildRun[] {
  const base = race.arms[0]!.arm;
  if (recommended === null || recommended === base) return [];
  const others = ranking.map(({ arm }) => arm).filter((arm) => arm !== base && arm !== recommended);
  return [recommended, base, ...others.slice(0, OTHERS_CONFIRMED)].map((number) =>
    childOf(tune, {
      step: 'holdout' satisfies TuneStep,
      ordinal: race.ordinal,
      arm: race.arms.find(({ arm }) => arm === number)!,
      positions: tune.heldOut,
      firstSample: 0,
      samples: CONFIRMING_SAMPLES,
    }),
  );
}

/** Ends a tune that cannot continue with what is known so far, unconfirmed. */
export async function conclude(
  here: ParamTuneContext,
  races: readonly TargetRace[],
  step: Progress,
  end: OrchestrationEnd,
): Promise<Step> {
  const found = await recommendAll(here, races);
  const state = { ...here.state, targets: found.map(({ outcome }) => outcome) };
  return withProgress(withRecommended(here, step, found), endTune({ ...here, state }, end));
}
