/**
 * How a setting is sent to a model that refuses it in its requested form:
 * - `left out`
 * - `auto`, `auto while thinking`: replaces `tool_choice: "required"`; the latter only if the request leaves thinking
 *   on
 * - `max_completion_tokens`, `max_tokens`: a token limit under the other name
 * - `at most N`: a token limit where the request has none
 * - `sent back`: a field of earlier replies that the host requires
 */
export type SettingChange =
  | 'left out'
  | 'auto'
  | 'auto while thinking'
  | 'max_completion_tokens'
  | 'max_tokens'
  | 'sent back'
  | `at most ${number}`;

/** Keyed by setting: a parameter, `tool_choice`, `strict` of tools, or `messages.<field>` of earlier replies. */
export type SettingChanges = Readonly<Record<string, SettingChange>>;

/** A setting that a model refused, and how to send it instead. */
export interface Refusal {
  setting: string;
  way: SettingChange;
  /** The host's message. */
  said: string;
}

/** A host may accept the setting in its next version, so it is tried again after a day. */
export const LEARNED_FOR_MS = 24 * 60 * 60_000;

/** The learned settings stored with a model, by setting. */
export type LearnedSettings = Readonly<Record<string, Omit<Refusal, 'setting'> & { at: string }>>;

/** The learned settings that have not expired. */
export function readLearnedSettings(text: string): [setting: string, learned: LearnedSettings[string]][] {
  if (text === '{}') return [];
  const since = Date.now() - LEARNED_FOR_MS;
  return Object.entries(JSON.parse(text) as LearnedSettings).filter(([, { at }]) => Date.parse(at) > since);
}

export const readSettingChanges = (text: string): SettingChanges =>
  Object.fromEntries(readLearnedSettings(text).map(([setting, { way }]) => [setting, way]));
