/** The formats that a suite can be imported from. */
export const IMPORT_FORMATS = [
  'native',
  'bfcl',
  'chat-logs',
  'promptfoo',
  'otlp',
  'langfuse',
  'phoenix',
  'csv',
  'yaml',
  'jsonl',
] as const;
/** The formats that a suite can be exported to. */
export const SUITE_EXPORT_FORMATS = ['json', 'csv', 'bfcl', 'jsonl', 'yaml'] as const;

/** The maximum of any known host per request. */
export const MAX_TOOLS = 512;

/** The start of the prompt in a case drafted from a tool's description. The author replaces it. */
export const DRAFT_PROMPT = 'Write here what a user would say';
