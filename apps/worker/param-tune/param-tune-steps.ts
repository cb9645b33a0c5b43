import type { LogEvent } from '#lib/contracts/event';
import { targetName } from '#lib/contracts/target-name';
import type { NewChildRun, Step } from '#lib/db/engine/orchestrations';
import { readDistinctArms, updateArms, type StoredTune } from '#lib/param-tune/rows/arms';
import type { TuneState } from '#lib/param-tune/rows/param-tunes';
import { readCaseMeans, type CaseMeans } from '#lib/tuning/rows/for-workers/trial-results';
import { replay } from '#lib/param-tune/race';
import type { SearchPlan } from '#lib/param-tune/search/plan-search';
import type { TuneStep } from '#lib/tuning/tune-step';
import { type Progress, spentBudget } from '../orchestration/kind.js';
import { tuneSteps } from '../tuning/tune.js';
import { progressOf } from './arm-progress.js';
import { confirm } from './confirm.js';
import { conclude, decide } from './decide.js';
import { endTune } from './end-tune.js';
import type { ParamTuneContext, TargetRace } from './tune-context.js';
import { armKey, childKey, childOf, isOfSearch, measuredIn } from './trial-runs.js';

/**
 * The steps of a parameter tune. A resume restarts with the search, wherever the tune ended: what had no score then may
 * have one now. It makes only the missing runs.
 */
export const paramTune = tuneSteps<StoredTune, TuneState>({
  type: 'param_tune',
  modelsOf: ({ targets }) => targets.map(({ target }) => target),
  kept: 'combinations',
  stepOf: ({ step, jobId }, state) => (state.jobId === jobId ? (step as TuneStep) : 'search'),
  search,
  confirm,
  end: endTune,
});

async function search(here: ParamTuneContext): Promise<Step> {
  const { orchestration, tune, state } = here;
  const races = await readRaces(here);
  const store = await progressOf(here, races);
  const events: LogEvent[] = [...startOf(here), ...store.events];
  const seen = { ...state, seen: orchestration.children.length, jobId: orchestration.jobId };
  const step: Progress = {
    store: (client) => updateArms(client, orchestration.id, store.arms),
    events,
  };
  const end = here.obstacle ?? spentBudget(orchestration);
  if (end) return conclude({ ...here, state: seen }, races, step, end);
  const children = races.flatMap(({ ordinal, arms, race }) =>
    race.next.map(({ arm, rung, from, to, firstSample, samples }): NewChildRun => {
      const positions = tune.tuning.slice(from, to);
      return childOf(tune, { step: rung, ordinal, arm: arms[arm]!, positions, firstSample, samples });
    }),
  );
  if (children.length > 0)
    return { ...step, state: seen, next: 'search' satisfies TuneStep, children: children.slice(0, MAX_CHILDREN) };
  return decide({ ...here, state: seen }, races, step);
}

/** The searches of all models, independent of each other: the best settings differ between models. */
async function readRaces({ pool, orchestration, tune }: ParamTuneContext): Promise<TargetRace[]> {
  const arms = await readDistinctArms(pool, orchestration.id);
  const runs = new Map(orchestration.children.map((child) => [childKey(child), child]));
  const means = await readCaseMeans(
    pool,
    orchestration.children.filter(isOfSearch).map(({ id }) => id),
    tune.asked.measure,
  );
  const { seed, samples } = tune.asked;
  return tune.targets.map((target, ordinal) => {
    const own = arms.get(ordinal)!;
    const space = { arms: own.map(({ levels }) => levels), base: 0, cases: tune.tuning.length, samples, seed };
    const race = replay(space, target.search as SearchPlan, (trial) => {
      const run = runs.get(childKey({ step: trial.rung, arm: armKey(ordinal, own[trial.arm]!.arm) }));
      return run && measuredIn(means.get(run.id) ?? NOTHING, trial, tune.tuning);
    });
    return { ordinal, target, arms: own, race };
  });
}

/**
 * The maximum number of child runs per step. The step blocks the user's other submits until it has made all of them.
 */
const MAX_CHILDREN = 100;

const NOTHING: CaseMeans = new Map();

function startOf({ orchestration, tune }: ParamTuneContext): LogEvent[] {
  if (orchestration.children.length > 0) return [];
  const { targets, tuning, heldOut, planned } = tune;
  return [
    {
      name: 'tune_start',
      data: {
        tune_id: orchestration.id,
        kind: 'param_tune',
        targets: targets.map(({ target }) => targetName(target)),
        arms: targets.reduce((sum, { distinct }) => sum + distinct, 0),
        cases: { tuning: tuning.length, holdout: heldOut.length },
        planned_requests: planned,
      },
    },
  ];
}
