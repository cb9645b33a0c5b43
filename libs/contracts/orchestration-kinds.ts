import { GATE } from '#lib/gate/kind';
import { JUDGE } from '#lib/judge/kind';
import { PARAM_TUNE } from '#lib/param-tune/kind';
import { PROMPT_TUNE } from '#lib/prompt-tune/kind';

/** Everything that creates runs. The API and documents list it in this order. */
export const ORCHESTRATION_KINDS = [GATE, PARAM_TUNE, PROMPT_TUNE, JUDGE] as const;
type Kind = (typeof ORCHESTRATION_KINDS)[number];

export type OrchestrationType = Kind['type'];
export const ORCHESTRATION_TYPES = ORCHESTRATION_KINDS.map(({ type }) => type);

type AllOf<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
export const ORCHESTRATION_EVENTS = Object.assign({}, ...ORCHESTRATION_KINDS.map(({ events }) => events)) as AllOf<
  Kind['events']
>;

/** The results of jobs, by type. */
export const RESULTS = [...Map.groupBy(ORCHESTRATION_KINDS, ({ ref }) => ref)].map(([ref, kinds]) => ({
  ref,
  result: kinds[0]!.result,
  types: kinds.map(({ type }) => `\`${type}\``),
}));
