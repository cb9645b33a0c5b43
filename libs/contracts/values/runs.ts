export const TOOL_CHOICES = ['required', 'auto', 'none'] as const;
export const CACHE_MODES = ['off', 'use', 'refresh'] as const;
/** How long the provider's cache keeps tools and system prompt. */
export const PROMPT_CACHE_MODES = ['off', '5m', '1h'] as const;
export const MODEL_ORDERS = ['sequential', 'parallel'] as const;

/** Characters of a system prompt or a description, in UTF-16 units. */
export const MAX_PROMPT_CHARS = 50_000;
export const MAX_TRIED_MODELS = 10;

export const ERROR_KINDS = [
  'rate_limited',
  'timeout',
  'network',
  'provider_5xx',
  'auth',
  'bad_request',
  'bad_response',
  'blocked',
  'crashed',
  'internal',
  'unscorable',
  'unrecorded',
  'conversation',
  'user',
  'tool',
  'tool_server',
] as const;

/** Orders of the history. Runs without the value come last. */
export const RUN_ORDERS = ['newest', 'name', 'score', 'cost', 'duration', 'errored'] as const;
/** How many of a team's newest runs a search by words reads. */
export const SEARCHED_RUNS = 20_000;
export const RESULT_ORDERS = ['settled', 'failures', 'case'] as const;
export const RUN_CASES_SHOWN = ['differing', 'all', 'all_failed'] as const;
export const RUN_CASES_ORDERS = ['position', 'disagreement', 'failures', 'category'] as const;
export const RUN_EXPORT_FORMATS = ['json', 'jsonl', 'csv', 'junit'] as const;
export const EXPERIMENT_FILTERS = ['active', 'archived', 'all'] as const;
