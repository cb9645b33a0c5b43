import { COMPARISON_EXAMPLES } from './comparison-examples.js';
import { EXPERIMENT_EXAMPLES } from './experiment-examples.js';
import { GATE_EXAMPLES } from './gate-examples.js';
import { JUDGE_EXAMPLES } from './judge-examples.js';
import { LABEL_EXAMPLES } from './label-examples.js';
import { MCP_EXAMPLES } from './mcp-examples.js';
import { PROBLEM_EXAMPLES } from './problem-examples.js';
import { PROMPT_EXAMPLES } from './prompt-examples.js';
import { PROMPT_TUNE_EXAMPLES } from './prompt-tune-examples.js';
import { PROVIDER_EXAMPLES } from './provider-examples.js';
import { RESULT_EXAMPLES } from './result-examples.js';
import { RUN_FACETS_EXAMPLES } from './run-facets-examples.js';
import { RUN_EXAMPLES } from './run-examples.js';
import { SUITE_EXAMPLES } from './suite-examples.js';
import { TEAM_EXAMPLES } from './team-examples.js';
import { TRY_EXAMPLES } from './try-examples.js';
import { TUNE_EXAMPLES } from './tune-examples.js';

/**
 * Complete examples of every named schema, by its id. /docs shows them with requests, responses and fields. The first
 * example of a schema is the usual one. The others have the fields that it leaves out.
 */
export const EXAMPLES: Record<string, Record<string, unknown>> = {
  Problem: { 'A field is missing': PROBLEM_EXAMPLES[400] },
  ...TEAM_EXAMPLES,
  ...PROVIDER_EXAMPLES,
  ...SUITE_EXAMPLES,
  ...MCP_EXAMPLES,
  ...RUN_EXAMPLES,
  ...RESULT_EXAMPLES,
  ...RUN_FACETS_EXAMPLES,
  ...TRY_EXAMPLES,
  ...LABEL_EXAMPLES,
  ...COMPARISON_EXAMPLES,
  ...EXPERIMENT_EXAMPLES,
  ...GATE_EXAMPLES,
  ...TUNE_EXAMPLES,
  ...PROMPT_EXAMPLES,
  ...PROMPT_TUNE_EXAMPLES,
  ...JUDGE_EXAMPLES,
};
