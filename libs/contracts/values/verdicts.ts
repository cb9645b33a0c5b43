/** Raise this whenever the same reply could score differently than before. Every verdict stores it. */
export const SCORING_VERSION = 4;

export const SCORING_MODES = [
  'exact',
  'case_insensitive',
  'contains',
  'numeric_tolerance',
  'datetime',
  'regex',
  'fuzzy',
  'semantic',
] as const;

/** In the order of a failure list. */
export const ERROR_TYPES = [
  'none',
  'errored',
  'oversized_reply',
  'refused',
  'cut_off',
  'no_call',
  'unexpected_call',
  'malformed_arguments',
  'unknown_tool',
  'forbidden_call',
  'round_limit',
  'incomplete_chain',
  'wrong_tool',
  'missing_argument',
  'wrong_argument',
  'extra_call',
  'goal_state',
  'goal_answer',
  'long_way',
] as const;

export const FORMATS = ['native', 'repaired', 'none', 'malformed'] as const;

/** The syntaxes in which a host left calls in the text, with their display names. */
export const SYNTAX_NAMES = {
  json: 'JSON',
  hermes: 'Hermes',
  qwen: 'Qwen',
  llama: 'Llama',
  pythonic: 'Python calls',
  mistral: 'Mistral',
  deepseek: 'DeepSeek',
  kimi: 'Kimi',
  glm: 'GLM',
  harmony: 'Harmony (gpt-oss)',
  invoke: 'invoke tags',
  gemma: 'Gemma',
  granite: 'Granite',
  cohere: 'Cohere',
  thoughts: 'only in the thoughts',
};
export const CALL_SYNTAXES = Object.keys(SYNTAX_NAMES) as (keyof typeof SYNTAX_NAMES)[];

/** The name of a syntax, or the value itself if it comes from a later release. */
export const syntaxName = (syntax: string): string =>
  Object.hasOwn(SYNTAX_NAMES, syntax) ? SYNTAX_NAMES[syntax as keyof typeof SYNTAX_NAMES] : syntax;

/**
 * Tool labels for a reply without a call or a case that expects none, for a tool that is not in the suite, and for a
 * conversation whose goal does not say what is called.
 */
export const TOOL_LABELS = { none: '(none)', unknown: '(unknown)', any: '(any)' } as const;
