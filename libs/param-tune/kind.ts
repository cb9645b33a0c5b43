import type { OrchestrationKind } from '#lib/contracts/orchestration-kind';
import { TUNE } from '#lib/tuning/kind';

export const PARAM_TUNE = {
  ...TUNE,
  type: 'param_tune',
  rows: [['tune_arm', 'tune_id', 'target, arm']],
} as const satisfies OrchestrationKind;
