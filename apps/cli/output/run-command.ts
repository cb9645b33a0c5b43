import { toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import type { PromptTune } from '#lib/prompt-tune/contract';
import { shellLine } from './shell-words.js';
import { toSafeJson } from './terminal.js';

const MAX_PROMPT = 2000;
export const PROMPT_FILE = 'system-prompt.txt';

/** The shell command that runs a configuration with a model. Numbers are kept as they were written. */
export function runCommand(
  { input, suite_id: id, suite_name: name }: Pick<ParamTune, 'input' | 'suite_id' | 'suite_name'>,
  target: string,
  config: JsonObject,
): string {
  const { base } = input;
  const { temperature, tool_choice: choice, max_tokens: tokens = base.max_tokens, ...others } = config;
  const params: JsonObject = { ...base.params, ...others };
  return shellLine([
    ...['toolmark', 'run', id ?? name, '--models', target],
    ...['--temperature', toText(temperature ?? base.temperature)],
    ...['--tool-choice', toText(choice ?? base.tool_choice)],
    ...limitWords(tokens),
    ...(Object.keys(params).length ? ['--params', toSafeJson(params)] : []),
    ...promptWords(base.system_prompt, target),
  ]);
}

/** The shell command that runs the best texts of a tune with its models and settings. */
export function promptRunCommand(
  { input, suite_id: id, suite_name: name, targets }: PromptTune,
  versionId: string,
): string {
  const { temperature, tool_choice: choice, max_tokens: tokens, params } = input;
  return shellLine([
    ...['toolmark', 'run', id ?? name, '--models', targets.join(',')],
    ...['--temperature', toText(temperature), '--tool-choice', choice, ...limitWords(tokens)],
    ...(Object.keys(params).length ? ['--params', toSafeJson(params)] : []),
    ...['--prompt-version', versionId],
  ]);
}

/** A run has no limit unless one is given. */
const limitWords = (tokens: Json | undefined): string[] => (tokens == null ? [] : ['--max-tokens', toText(tokens)]);

/** A text that begins with @ names a file, and a long one is impractical to paste: both are read from a file. */
function promptWords(prompt: ParamTune['input']['base']['system_prompt'], target: string): string[] {
  const text = typeof prompt === 'string' ? prompt : (prompt?.[target] ?? prompt?.['*'] ?? '');
  if (text === '') return [];
  const isLong = text.length > MAX_PROMPT || text.startsWith('@');
  return ['--system-prompt', isLong ? `@${PROMPT_FILE}` : text];
}

/** Whether the command reads a file that its user has to write. */
export const needsPromptFile = (command: string): boolean => command.endsWith(` --system-prompt @${PROMPT_FILE}`);
