import { isObject, type Json } from '#lib/contracts/json/json';
import { changedSettingNames } from './changed-settings.js';
import { settingInWords } from './setting-words.js';

/** Shown as texts of their own. */
const PROMPTS = new Set(['system_prompt', 'base_prompt']);
const MAX_LINES = 40;

/** What differs from the defaults, each in words. Tools whose description was replaced are named. */
export const settingLines = (config: Record<string, unknown>): [name: string, text: string][] =>
  changedSettingNames(config)
    .filter(({ key }) => !PROMPTS.has(key))
    .slice(0, MAX_LINES)
    .map(({ key, name, value }): [string, string] => [
      name,
      key === 'tool_overrides' && isObject(value as Json)
        ? Object.keys(value as object).join(', ')
        : settingInWords(key, value as Json),
    ]);

/** The system prompts that the run gave its models. */
export const systemPromptsOf = (config: Record<string, unknown>): [title: string, text: string][] =>
  changedSettingNames(config)
    .filter(({ key }) => PROMPTS.has(key))
    .flatMap(({ name, value }): [string, string][] =>
      isObject(value as Json)
        ? Object.entries(value as object).map(([model, text]) => [
            `${name} of ${model === '*' ? 'the other models' : model.slice(0, 200)}`,
            String(text),
          ])
        : [[name, String(value)]],
    );
