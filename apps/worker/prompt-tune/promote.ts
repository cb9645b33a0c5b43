import { withNote } from '#lib/contracts/note';
import { auditWork } from '#lib/db/audit-work';
import { PromptVersionRepository } from '#lib/db/catalogue/prompt-versions';
import type { NewChildRun, Step } from '#lib/db/engine/orchestrations';
import { newId } from '#lib/runtime/ids';
import type { TuneStep } from '#lib/tuning/tune-step';
import { openExperiment } from '../tuning/end-tune.js';
import { submission } from './child-runs.js';
import { endTune, outcomeOf } from './end-tune.js';
import type { PromptTuneContext } from './tune-context.js';

/**
 * Stores the best texts as a prompt version, and runs them again as an ordinary run in the experiment of the tune: the
 * score that selected them is biased upwards, and not a fair comparison. The tune ends when there is no experiment, or
 * nothing that may be better than the base.
 */
export async function promoteOrEnd(here: PromptTuneContext): Promise<Step> {
  const { orchestration, tune, state } = here;
  const { best, texts } = state.found!;
  const outcome = outcomeOf(state, { isDone: true, heldOut: tune.heldOut.length });
  if (best === 0 || outcome === 'worse') return endTune(here);
  const versionId = newId();
  const { id: tuneId, teamId, userId, jobId } = orchestration;
  const components = Object.fromEntries(
    Object.entries({ ...tune.fixed, ...texts }).filter(([component, text]) => text !== tune.own[component]),
  );
  const version = {
    suiteId: tune.suite.id,
    label: `Prompt tune of ${tune.suite.name}, ${outcome === 'confirmed' ? 'confirmed' : 'not confirmed'}`.slice(
      0,
      200,
    ),
    components,
    tags: [],
    source: 'prompt_tune' as const,
    parentId: null,
    origin: { tune_id: tuneId, candidate: best },
    userId,
  };
  const store: Step['store'] = async (client) => {
    await new PromptVersionRepository(client, teamId).create(version, versionId);
    const { label, components, source } = version;
    const change = { after: { label, components, source }, cause: `job ${jobId}` };
    await auditWork(client, teamId, 'prompt_version.create', versionId, change);
  };
  const kept: PromptTuneContext = { ...here, state: { ...state, versionId } };
  if (tune.asked.experiment_id === null) return { ...endTune(kept), store };
  const experiment = await openExperiment(here, 'prompt version');
  if (experiment.note !== undefined) {
    return { ...endTune({ ...kept, state: withNote(kept.state, experiment.note) }), store };
  }
  const cases = [...new Set([...tune.reflect, ...tune.select, ...tune.heldOut])];
  const submit = submission(tune, texts, { cases, firstSample: 0, samples: tune.asked.samples });
  const input = {
    ...submit.input,
    cache: 'refresh' as const,
    experiment_id: experiment.id,
    prompt_version_id: versionId,
  };
  const promoted: NewChildRun = {
    step: 'promote' satisfies TuneStep,
    arm: `${best}.promote`,
    submit: { ...submit, input },
    listed: true,
  };
  return { state: kept.state, next: 'promote' satisfies TuneStep, children: [promoted], store };
}
