import type { CallSyntax } from './verdict.js';

/** Display names of the syntaxes in which a host left calls in the text. */
export const SYNTAX_NAMES: Record<CallSyntax, string> = {
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

/** The name of a syntax, or the value itself if it comes from a later release. */
export const syntaxName = (syntax: string): string =>
  Object.hasOwn(SYNTAX_NAMES, syntax) ? SYNTAX_NAMES[syntax as CallSyntax] : syntax;
