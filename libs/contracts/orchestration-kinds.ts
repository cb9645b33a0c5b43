import { GATE } from '#lib/gate/kind';
import { JUDGE } from '#lib/judge/kind';
import { PARAM_TUNE } from '#lib/param-tune/kind';
import { PROMPT_TUNE } from '#lib/prompt-tune/kind';

/** Everything that creates runs. The API and documents list it in this order. */
export const ORCHESTRATION_KINDS = [GATE, PARAM_TUNE, PROMPT_TUNE, JUDGE] as const;
export const ORCHESTRATION_EVENTS = {
  ...GATE.events,
  ...PARAM_TUNE.events,
  ...PROMPT_TUNE.events,
  ...JUDGE.events,
};

/** The results of jobs, by type. */
export const RESULTS = [...Map.groupBy(ORCHESTRATION_KINDS, ({ ref }) => ref)].map(([ref, kinds]) => ({
  ref,
  result: kinds[0]!.result,
  types: kinds.map(({ type }) => `\`${type}\``),
}));
