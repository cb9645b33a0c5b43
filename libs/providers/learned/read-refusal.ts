import { isObject, parseJson, toText, type JsonObject } from '#lib/contracts/json/json';
import type { Refusal, SettingChange, SettingChanges } from '#lib/contracts/learned';
import type { ProviderKind } from '#lib/contracts/provider';
import type { ProviderFailure } from '../failure.js';
import { isThinkingOff } from './adapt-request.js';
import { detailsIn, namesIn, settingNamed, settingsMentioned, withoutQuotations } from './named-settings.js';

const MAX_WORDS_CHARACTERS = 4000;
const MAX_BODY_CHARACTERS = 100_000;
const MAX_SAID_CHARACTERS = 300;

/** Hosts' phrases for a setting that they do not accept at all, or accept with only one value. */
const REFUSES = new RegExp(
  [
    "(?:un|not (?:yet |currently )?)support|do(?:es)?(?:n['’]t| not) (?:support|accept|allow)|unrecogni[sz]ed",
    'un(?:known|expected)(?! (?:error|models?|role|tools?|functions?|token|end|character)\\b)',
    'not (?:allowed|permitted|available|accepted|recogni[sz]ed|implemented|enabled|compatible|a valid field)',
    'incompatible|extra (?:inputs?|fields?)|extra_forbidden|additional propert|deprecated|disabled|should not be',
    'requires? --|cannot (?:both )?be (?:used|set|specified|combined|provided)|may (?:only|not) be|can only be',
    'must be (?:unset|(?:set to |equal to )?1\\b(?! or|\\.\\d*[1-9]))|fixed (?:at|to)|enabled only|only one of',
    "only (?:the default|(?:\\w+=)?[\\d.]+ is|supports?|1\\b)|use '?[a-z_]+'? instead|no endpoints found that support",
    'please remove|unsupported_(?:parameter|value)|unknown_parameter|invalid (?:argument|parameter|field) name',
    '不支持|仅支持|只支持',
  ].join('|'),
  'i',
);
/** Phrases for a value that is out of range or of another type, which the user has to fix. */
const OUT_OF_RANGE = new RegExp(
  [
    '\\b(?:at most|too (?:large|high|low|small|long)|exceed|maximum|greater than|less than|between|range)\\b',
    '\\b(?:expected|must be) an?\\b',
  ].join('|'),
  'i',
);
const MISSES =
  /\bmissing\b|\bmust (?:be (?:passed|sent|included|provided)|include|contain|have)|is required|\brequires?\b/i;
/** Phrases for a value of tool_choice that do not say that it is unsupported. */
const KNOWS_VALUES = /\binvalid\b|\bauto\b|\bone of\b/i;
/** A rejection of tools, with or without a choice among them. */
const REFUSES_TOOLS = /['"`]tools['"`]/i;
/** Phrases about a tool's schema or a reply's call, which may mention anything. */
const CONCERNS_SCHEMA =
  /invalid schema|schema for (?:function|tool)|json.?schema|input_?schema|function\.parameters|['".[(]properties\b/i;
const CONCERNS_REPLY = /did not call|call validation failed|failed_generation|tool_use_failed/i;
const SENTENCE_ENDS = /(?<=[.;])\s|\n/;

/** Fields that hosts require in earlier replies of a thinking model. */
const MISSED = ['reasoning_content'];

type RefusedRequest = Pick<ProviderFailure, 'kind' | 'status' | 'message' | 'body' | 'isModelMissing'>;

/**
 * Finds the setting of a request that a model rejects, from the parameter that the error names or from its text.
 * @param sent the rejected request, in OpenAI's chat completions format
 * @param ways the adjustments already made to it
 * @returns undefined if the error names nothing that can be sent differently
 */
export function readRefusal(
  { kind, status, message, body, isModelMissing }: RefusedRequest,
  sent: JsonObject,
  ways: SettingChanges,
  format: ProviderKind,
): Refusal | undefined {
  if (kind !== 'bad_request' || isModelMissing || ![400, 404, 422].includes(status ?? 0)) return undefined;
  const error = errorIn(body);
  const words = withoutQuotations(
    [error ? wordsOf(error) : message, error && JSON.stringify([error.metadata ?? '', error.cause ?? ''])]
      .join(' ')
      .slice(0, MAX_WORDS_CHARACTERS),
  );
  const said = toText(error?.message ?? message).slice(0, MAX_SAID_CHARACTERS);
  const found = (setting: string, way: SettingChange | undefined): Refusal | undefined => way && { setting, way, said };

  const missed = MISSES.test(words) && MISSED.find((field) => words.includes(field));
  if (missed && !REFUSES.test(words)) return found(`messages.${missed}`, 'sent back');
  const most = limitIn(words);
  if (most !== undefined && !('max_tokens' in sent)) return found('max_tokens', `at most ${most}`);

  const names = error ? namesIn(error, (detail) => REFUSES.test(detail)) : [];
  const named = names.map((name) => settingNamed(name, sent)).find(Boolean);
  const mentionedIn = (text: string): string[] => (isElsewhere(names, words) ? [] : settingsMentioned(text, sent));
  const nameRefused = (): string | undefined => {
    if (named !== undefined) return named;
    const refusing = words.split(SENTENCE_ENDS).filter((sentence) => REFUSES.test(sentence));
    return mentionedIn(isUnsupported(error) ? words : refusing.join('\n'))[0];
  };
  const isRefusal = isUnsupported(error) || (REFUSES.test(words) && !OUT_OF_RANGE.test(words));
  // For tool_choice, hosts only say which values they accept.
  const isChoice = named === 'tool_choice' || (KNOWS_VALUES.test(words) && mentionedIn(words).includes('tool_choice'));
  const refused = isRefusal ? nameRefused() : isChoice ? 'tool_choice' : undefined;
  return refused === undefined ? undefined : found(refused, nextAdjustment(refused, { sent, ways, format, words }));
}

/** Whether an error concerns something other than a setting of the request, such as another parameter. */
const isElsewhere = (names: readonly string[], words: string): boolean =>
  CONCERNS_SCHEMA.test(words) ||
  CONCERNS_REPLY.test(words) ||
  names.some((name) => !['', 'messages', 'tools'].includes(name) && words.includes(`'${name}'`));

const isUnsupported = (error: JsonObject | undefined): boolean =>
  /unsupported_?(?:param|value|field)|unknown_(?:parameter|field)|unrecognized_keys|extra_forbidden/i.test(
    `${toText(error?.code)} ${toText(error?.type)}`,
  );

/** Failures keep the body of the response as `{"error": ...}`. */
function errorIn(body: string | undefined): JsonObject | undefined {
  if (body === undefined || body.length > MAX_BODY_CHARACTERS) return undefined;
  try {
    const { error } = parseJson(body) as JsonObject;
    return isObject(error) ? error : undefined;
  } catch {
    return undefined;
  }
}

/** An error's message, or the whole error if it has none, plus the fields that say what it is about. */
function wordsOf(error: JsonObject): string {
  const { message, code, type, detail, details, param } = error;
  const said = typeof message === 'string' ? message : JSON.stringify(message ?? error);
  return [said, code, type, param, ...detailsIn(detail ?? details).map(({ place, words }) => `${words} ${place}`)]
    .map((one) => toText(one ?? ''))
    .join(' ');
}

/** Anthropic's format requires a limit, so the product sends one, which may exceed the model's maximum. */
function limitIn(words: string): number | undefined {
  const [, most] = LIMIT.exec(words) ?? [];
  return most === undefined ? undefined : Number(most);
}
const LIMIT = /max_tokens[`']?(?:: \d{1,9} >| must be less than or equal to| is \[\d{1,9},) `?(\d{1,9})\b/;

function nextAdjustment(
  setting: string,
  { sent, ways, format, words }: { sent: JsonObject; ways: SettingChanges; format: ProviderKind; words: string },
): SettingChange | undefined {
  if (setting === 'tool_choice') {
    if (REFUSES_TOOLS.test(words)) return undefined;
    if (sent.tool_choice === 'auto') return 'left out';
    if (sent.tool_choice !== 'required') return undefined;
    return /thinking/i.test(words) && !isThinkingOff(sent) ? 'auto while thinking' : 'auto';
  }
  if (format !== 'openai') return 'left out';
  if (setting === 'max_tokens') return ways.max_completion_tokens ? 'left out' : 'max_completion_tokens';
  if (setting === 'max_completion_tokens') return ways.max_tokens ? 'left out' : 'max_tokens';
  return 'left out';
}
