import { noted } from '#lib/contracts/note';
import type { GateAnswer, GateRules, GateTarget } from './contract.js';

export interface GateToMeasure {
  id: string;
  name: string;
  version: number;
  rules: GateRules;
}

/** The gate and the runs of an answer, as it lists them. */
export const headOfAnswer = (
  { id, name, version, rules }: GateToMeasure,
  { runId, baselineId }: { runId: string | null; baselineId: string | null },
) => ({
  gate: { id, name, version, measure: rules.measure, margin: rules.margin },
  eval_id: runId,
  baseline_eval_id: baselineId,
});

/** The gate's answer when nothing was compared. @param text why */
export const unmeasuredAnswer = (
  gate: GateToMeasure,
  sides: Parameters<typeof headOfAnswer>[1],
  text: string,
  targets: GateTarget[] = [],
): Omit<GateAnswer, 'look'> => ({
  ...headOfAnswer(gate, sides),
  result: 'not_measured',
  text,
  targets,
  cases: null,
  what_changed: [],
  ...noted([]),
});
