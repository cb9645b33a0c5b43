import type { ExperimentSince } from '#lib/contracts/experiment';
import { percent } from '#lib/comparison/points';
import type { ComparedRun } from '#lib/db/read/experiment-runs';

type State = ExperimentSince['state'];

/** The last runs of an experiment that are in one state. */
export interface Stretch {
  state: State;
  first: ComparedRun;
  /** The run before the first; undefined for the baseline. */
  before: ComparedRun | undefined;
  runs: number;
  of: number;
}

/** As many runs in a row without a loss end a stretch of worse ones: a single one may be luck. */
const CALM_RUNS = 2;

/** What a run shows. A model that got worse is not made good by others. */
function stateOf({ comparison: { verdict, models } }: ComparedRun): State | undefined {
  if (verdict === 'not_comparable') return undefined;
  if (verdict === 'regressed' || (models?.regressed ?? 0) > 0) return 'worse';
  if (verdict === 'improved') return 'better';
  return verdict === 'same' ? 'as_good' : 'unclear';
}

/**
 * Where an experiment stands, and since which run.
 * @param compared its last runs, the newest first
 */
export function stretchOf(compared: readonly ComparedRun[]): Stretch | undefined {
  const runs = compared.filter((run) => stateOf(run) !== undefined);
  const states = runs.map((run) => stateOf(run)!);
  if (states[0] === undefined) return undefined;
  const end = endOfWorse(states);
  if (end >= 0) return cut(runs, 'worse', end, states.slice(0, end + 1).filter((state) => state === 'worse').length);
  const state = states[0];
  if (state === 'unclear') return cut(runs, state, 0, 1);
  const isSo = (one: State): boolean => one === state || (state === 'as_good' && one === 'better');
  const other = states.findIndex((one) => !isSo(one));
  const count = other < 0 ? states.length : other;
  return cut(runs, state, count - 1, count);
}

const cut = (runs: readonly ComparedRun[], state: State, place: number, count: number): Stretch => ({
  state,
  first: runs[place]!,
  before: runs[place + 1],
  runs: count,
  of: place + 1,
});

/** The place of the first run that was worse, in a stretch that reaches the present; -1 for none. */
function endOfWorse(states: readonly State[]): number {
  let found = -1;
  for (const [place, state] of states.entries()) {
    if (state === 'worse') found = place;
    else if (place - found >= CALM_RUNS) break;
  }
  return found;
}

export function describeSince(stretch: Stretch, beforeId: string, changed: string[]): ExperimentSince {
  const { state, first, runs, of } = stretch;
  const { difference, models } = first.comparison;
  const since = {
    state,
    run: { id: first.id, name: first.name, finished_at: first.finishedAt.toISOString() },
    runs,
    of,
    difference,
    regressed: models?.regressed ?? 0,
    models: first.models,
    worst: models?.worst ?? null,
    changed,
    before: beforeId,
  };
  return { ...since, text: sentenceOf(since) };
}

const modelOf = (target: string): string => target.split('::').slice(1).join('::') || target;
const runsOf = (n: number): string => (n === 1 ? '1 run' : `${n} runs`);

function sentenceOf(since: Omit<ExperimentSince, 'text'>): string {
  const { state, run, runs, of, changed } = since;
  if (state === 'unclear') return 'Too close to call against the baseline.';
  if (state === 'as_good') return `As good as the baseline for ${runsOf(runs)}.`;
  const name = run.name ?? `run ${run.id.slice(-8)}`;
  const often = of === 1 ? '' : `, ${runs} of the last ${of}`;
  const settings = changed.length === 0 ? 'Nothing in the settings changed.' : `Changed: ${changed.join(', ')}.`;
  if (state === 'better') return `Better since ${name}${often}. ${settings}`;
  return `Worse since ${name}${often}${worstOf(since)}. ${settings}`;
}

function worstOf({ worst, regressed, models }: Omit<ExperimentSince, 'text'>): string {
  if (!worst || worst.from === null || worst.to === null || regressed === 0) return '';
  const only = regressed < models && regressed === 1 ? 'only ' : '';
  const more = regressed > 1 ? ` and ${regressed - 1} more` : '';
  return `: ${only}${modelOf(worst.target)}${more}, ${percent(worst.from)} to ${percent(worst.to)}`;
}
