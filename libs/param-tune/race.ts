import { ArmScores } from './search/arm-scores.js';
import { beginSearch, type SearchPlan } from './search/plan-search.js';
import type { Finding, Measured, SearchSpace, Trial } from './search/strategy.js';

/** The current state of a search. */
export interface Race {
  /** The trials measured so far. */
  measured: Trial[];
  scores: ArmScores;
  /** The trials to measure next; empty when the search is over. */
  next: Trial[];
  /** Undefined until the search is over. */
  finding: Finding | undefined;
}

/**
 * Replays a search from its start with the stored measurements, up to the first batch with an unmeasured trial.
 * @param measuredOf undefined for a trial that was not measured
 */
export function replay(
  space: SearchSpace,
  search: SearchPlan,
  measuredOf: (trial: Trial) => Measured | undefined,
): Race {
  const strategy = beginSearch(space, search);
  const race: Race = { measured: [], scores: new ArmScores(space.cases), next: [], finding: undefined };
  for (;;) {
    const trials = strategy.propose();
    if (trials.length === 0) return { ...race, finding: strategy.finish() };
    const found = trials.map(measuredOf);
    trials.forEach((trial, n) => {
      if (found[n] === undefined) return void race.next.push(trial);
      race.measured.push(trial);
      race.scores.add(trial, found[n]);
    });
    if (race.next.length > 0) return race;
    strategy.observe(found as Measured[]);
  }
}

export type RaceState = 'running' | 'dropped' | 'finalist';

/**
 * The state of each arm that was measured, or is being measured. An arm is dropped once others are measured on cases
 * that it is not measured on. Its rung is the last one it was measured on; null before the first.
 */
export function statesOf({ measured, next, finding }: Race): Map<number, { state: RaceState; rung: string | null }> {
  const rungs = new Map(measured.map(({ arm, rung }) => [arm, rung]));
  const reached = new Map<number, { to: number; isFinalist: boolean }>();
  for (const { arm, to, firstSample } of [...measured, ...next]) reached.set(arm, { to, isFinalist: firstSample > 0 });
  const furthest = Math.max(0, ...[...reached.values()].map(({ to }) => to));
  const hasFinalists = [...reached.values()].some(({ isFinalist }) => isFinalist);
  const finalists = new Set(finding?.finalists);
  const stateOf = (arm: number, { to, isFinalist }: { to: number; isFinalist: boolean }): RaceState => {
    if (isFinalist || finalists.has(arm)) return 'finalist';
    return hasFinalists || to < furthest ? 'dropped' : 'running';
  };
  return new Map([...reached].map(([arm, far]) => [arm, { state: stateOf(arm, far), rung: rungs.get(arm) ?? null }]));
}
