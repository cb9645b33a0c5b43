import { gate } from '../gate/gate-steps.js';
import { judge } from '../judge/judge-steps.js';
import type { OrchestrationKind } from '../orchestration/kind.js';
import { paramTune } from '../param-tune/param-tune-steps.js';
import { promptTune } from '../prompt-tune/prompt-tune-steps.js';

export const ORCHESTRATION_KINDS: readonly OrchestrationKind[] = [gate, paramTune, promptTune, judge];
