import { targetName } from '#lib/contracts/target-name';
import type { Orchestration, OrchestrationEnd, Step } from '#lib/db/engine/orchestrations';
import type { Pool } from '#lib/db/connection/pool';
import { findMissingModels, suiteExists } from '#lib/tuning/rows/for-workers/dependencies';
import type { TuneStep } from '#lib/tuning/tune-step';
import { type OrchestrationKind, spentBudget, type StepContext } from '../orchestration/kind.js';

/** A tune at one of its steps. */
export interface TuneContext<Tune, State> extends StepContext {
  tune: Tune;
  state: State;
  /** Why it cannot continue; undefined when it can. */
  obstacle: OrchestrationEnd | undefined;
}

interface Model {
  providerId: string;
  providerKey: string;
  modelId: string;
}

interface TuneKind<Tune, State> extends Pick<OrchestrationKind, 'type'> {
  modelsOf: (tune: Tune) => readonly Model[];
  /** Where the results so far are kept. */
  kept: string;
  /** The step to make; by default the stored one. */
  stepOf?: (orchestration: Orchestration, state: State) => TuneStep;
  search: (here: TuneContext<Tune, State>) => Promise<Step>;
  /** Compares the result with the base on the held-out cases, then promotes it. */
  confirm: (here: TuneContext<Tune, State>) => Promise<Step>;
  end: (here: TuneContext<Tune, State>, end?: OrchestrationEnd) => Step;
}

/**
 * The steps of a tune: `search` replays the search from the results of its child runs, and makes the runs that it
 * requests next; `holdout` compares the result with the base on cases that were not used to choose anything; `promote`
 * runs the best again in its experiment.
 */
export const tuneSteps = <Tune extends { suite: { id: string; name: string } }, State>({
  type,
  modelsOf,
  kept,
  stepOf = ({ step }) => step as TuneStep,
  search,
  confirm,
  end,
}: TuneKind<Tune, State>): OrchestrationKind => ({
  type,
  async nextStep(context) {
    const { pool, orchestration } = context;
    const tune = orchestration.input as Tune;
    const state = orchestration.state as State;
    const obstacle = await obstacleTo(pool, orchestration.teamId, tune.suite, modelsOf(tune), kept);
    const here = { ...context, tune, state, obstacle };
    const spent = spentBudget(orchestration);
    switch (stepOf(orchestration, state)) {
      case 'search':
        return search(here);
      case 'holdout':
        return (obstacle ?? spent) ? end(here, obstacle ?? spent) : confirm(here);
      case 'promote':
        return end(here, spent);
    }
  },
});

/** Why a tune cannot continue: a model or the suite was removed in the meantime. */
async function obstacleTo(
  pool: Pool,
  teamId: string,
  suite: { id: string; name: string },
  models: readonly Model[],
  kept: string,
): Promise<OrchestrationEnd | undefined> {
  const failed = (error: string): OrchestrationEnd => ({ status: 'failed', error });
  if (!(await suiteExists(pool, teamId, suite.id)))
    return failed(
      `The suite "${suite.name}" was deleted during the tune. The measurements so far are kept with the ${kept}.`,
    );
  const [missing] = await findMissingModels(pool, models);
  return (
    missing &&
    failed(
      `The model ${targetName(missing)} was removed during the tune. Add it again and resume the tune, or submit ` +
        'it without this model.',
    )
  );
}
