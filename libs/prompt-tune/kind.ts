import type { OrchestrationKind } from '#lib/contracts/orchestration-kind';
import { TUNE } from '#lib/tuning/kind';

export const PROMPT_TUNE = {
  ...TUNE,
  type: 'prompt_tune',
  rows: [
    ['prompt_candidate', 'tune_id', 'candidate'],
    ['prompt_ask', 'tune_id', 'key'],
  ],
} as const satisfies OrchestrationKind;
