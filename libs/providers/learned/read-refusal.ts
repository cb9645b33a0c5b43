import { isObject, parseJson, toText, type JsonObject } from '#lib/contracts/json/json';
import type { Refusal, Way, Ways } from '#lib/contracts/learned';
import type { ProviderKind } from '#lib/contracts/provider';
import { hasStrictTools } from '#lib/contracts/strict-tools';
import type { ProviderFailure } from '../failure.js';
import { isThinkingOff, replyFieldsIn } from './adapt-request.js';

const MAX_WORDS_CHARACTERS = 4000;
const MAX_BODY_CHARACTERS = 100_000;
const MAX_SAID_CHARACTERS = 300;
const MAX_FIELD_CHARACTERS = 60;

/**
 * Parameters that may be left out without changing what is asked, by their names in requests. Hosts name them so, in
 * lower case and without marks.
 */
const PARAMS: Record<string, readonly string[]> = {
  temperature: ['temperature'],
  top_p: ['topp'],
  top_k: ['topk'],
  min_p: ['minp'],
  max_tokens: ['maxtokens', 'maxoutputtokens', 'maxnewtokens'],
  max_completion_tokens: ['maxcompletiontokens'],
  parallel_tool_calls: [
    'paralleltoolcalls',
    'paralleltoolcalling',
    'paralleltooluse',
    'disableparalleltooluse',
    'parallelfunctioncalling',
  ],
  seed: ['seed'],
  presence_penalty: ['presencepenalty', 'penalty', 'penalties'],
  frequency_penalty: ['frequencypenalty', 'penalty', 'penalties'],
  repetition_penalty: ['repetitionpenalty', 'penalty', 'penalties'],
  logprobs: ['logprobs'],
  top_logprobs: ['toplogprobs'],
  logit_bias: ['logitbias'],
  strict: ['strict'],
  tool_choice: ['toolchoice', 'toolconfig', 'functioncallingconfig'],
};
/** Words that may follow one another with blanks in between: "parallel tool calls". */
const MAX_WORDS_OF_NAME = 3;

/** What hosts write of a setting that they do not take at all, or in one value only. */
const REFUSES = new RegExp(
  [
    "(?:un|not )support|does(?:n't| not) (?:support|accept|allow)|do not support|unrecogni[sz]ed|unknown|unexpected",
    'not (?:allowed|permitted|available|accepted|recogni[sz]ed|implemented|enabled|compatible)|incompatible',
    'extra (?:inputs|fields)|extra_forbidden|additional propert|deprecated|disabled|should not be|requires? --',
    'cannot (?:both )?be (?:used|set|specified|combined|provided)|may (?:only|not) be|can only be|must be 1\\b',
    "only (?:the default|[\\d.]+ is|supports?|1\\b)|use '?[a-z_]+'? instead|no endpoints found that support",
    'unsupported_(?:parameter|value)|unknown_parameter|invalid (?:argument|parameter|field) name',
  ].join('|'),
  'i',
);
/** What they write of a value that is out of its range, which is for a person to mend. */
const OUT_OF_RANGE =
  /\b(?:at most|too (?:large|high|low|small|long)|exceed|maximum|greater than|less than|between|range)\b/i;
const MISSES =
  /\bmissing\b|\bmust (?:be (?:passed|sent|included|provided)|include|contain|have)|is required|\brequires?\b/i;
/** Fields that hosts miss in earlier replies of a model that thinks. */
const MISSED = ['reasoning_content'];

/**
 * Reads from an error which setting of a request a model refuses, from the parameter that the error names or from its
 * words.
 * @param sent the request that was refused, in OpenAI's chat completions
 * @param ways how settings were sent in it already
 * @returns undefined when the error names nothing that can be sent otherwise
 */
export function readRefusal(
  { kind, status, message, body }: Pick<ProviderFailure, 'kind' | 'status' | 'message' | 'body'>,
  sent: JsonObject,
  ways: Ways,
  format: ProviderKind,
): Refusal | undefined {
  if (kind !== 'bad_request' || ![400, 404, 422].includes(status ?? 0)) return undefined;
  const error = errorIn(body);
  const words = [error ? wordsOf(error) : message, error && JSON.stringify(error.metadata ?? null)]
    .join(' ')
    .slice(0, MAX_WORDS_CHARACTERS);
  const said = toText(error?.message ?? message).slice(0, MAX_SAID_CHARACTERS);
  const found = (setting: string, way: Way | undefined): Refusal | undefined => way && { setting, way, said };

  const missed = MISSES.test(words) && MISSED.find((field) => words.includes(field));
  if (missed && !REFUSES.test(words)) return found(`messages.${missed}`, 'sent back');
  const most = limitIn(words);
  if (most !== undefined && !('max_tokens' in sent)) return found('max_tokens', `at most ${most}`);

  const named =
    error &&
    namesIn(error)
      .map((name) => settingNamed(name, sent))
      .find(Boolean);
  const mentioned = settingsMentioned(words, sent);
  const isRefusal = isUnsupported(error) || (REFUSES.test(words) && !OUT_OF_RANGE.test(words));
  // Hosts say of tool_choice only which values they know.
  const setting = isRefusal ? (named ?? mentioned[0]) : mentioned.find((one) => one === 'tool_choice');
  if (setting === undefined) return undefined;
  return found(setting, nextWay(setting, { sent, ways, format, words }));
}

const isUnsupported = (error: JsonObject | undefined): boolean =>
  /unsupported|unknown_parameter|extra_forbidden/i.test(`${toText(error?.code)} ${toText(error?.type)}`);

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

const wordsOf = ({ message, code, type, detail, param }: JsonObject): string =>
  [message, code, type, param, detail && JSON.stringify(detail)].map((one) => toText(one ?? '')).join(' ');

/** Where an error says that it lies: `param`, or `loc` of a list of details. */
function namesIn({ param, detail }: JsonObject): string[] {
  const places = (Array.isArray(detail) ? detail : [])
    .slice(0, 20)
    .flatMap((one) => (isObject(one) && Array.isArray(one.loc) ? [one.loc.map((part) => toText(part)).join('.')] : []));
  return [...(typeof param === 'string' ? [param] : []), ...places].map((name) => name.slice(0, 200));
}

/** The setting of the request that a path such as `tools[0].function.strict` or `messages.2.annotations` leads to. */
function settingNamed(path: string, sent: JsonObject): string | undefined {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '' && !/^\d+$/.test(part));
  const last = parts.at(-1);
  if (last === undefined) return undefined;
  const field = [...replyFieldsIn(sent)].find((one) => one.split('.').at(-1) === last);
  if (parts.includes('messages') && field) return field;
  return settingsIn(sent).find(([, names]) => names.includes(plain(last)))?.[0] ?? field;
}

/** The settings of a request that its model may refuse, with the names that hosts write. */
const settingsIn = (sent: JsonObject): [string, readonly string[]][] =>
  Object.entries(PARAMS).filter(([setting]) =>
    setting === 'strict' ? Array.isArray(sent.tools) && hasStrictTools(sent.tools) : setting in sent,
  );

const plain = (word: string): string => word.replace(/[_-]/g, '').toLowerCase();

/** The settings of a request that words name, in the order in which they do. */
function settingsMentioned(words: string, sent: JsonObject): string[] {
  const tokens = [...words.matchAll(/[A-Za-z][\w-]*/g)];
  const settings = settingsIn(sent);
  const fields = [...replyFieldsIn(sent)].filter((field) => field.length <= MAX_FIELD_CHARACTERS + 'messages.'.length);
  const found: string[] = [];
  for (const [start, token] of tokens.entries()) {
    for (let length = 1; length <= MAX_WORDS_OF_NAME; length++) {
      const name = plain(
        tokens
          .slice(start, start + length)
          .map(([word]) => word)
          .join(''),
      );
      for (const [setting, names] of settings)
        if (names.includes(name) && !found.includes(setting)) found.push(setting);
    }
    const field = fields.find((one) => one.split('.').at(-1) === token[0]);
    const isMarked =
      token[0].includes('_') || /['"`.:] ?$/.test(words.slice(Math.max(0, token.index - 2), token.index));
    if (field && isMarked && !found.includes(field)) found.push(field);
  }
  return found;
}

/** Anthropic requires a limit, so the product sends one, and a model may take less. */
function limitIn(words: string): number | undefined {
  const [, most] = /max_tokens: \d{1,9} > (\d{1,9})\b/.exec(words) ?? [];
  return most === undefined ? undefined : Number(most);
}

function nextWay(
  setting: string,
  { sent, ways, format, words }: { sent: JsonObject; ways: Ways; format: ProviderKind; words: string },
): Way | undefined {
  if (setting === 'tool_choice') {
    if (sent.tool_choice === 'auto') return 'left out';
    if (sent.tool_choice !== 'required') return undefined;
    return /thinking/i.test(words) && !isThinkingOff(sent) ? 'auto while thinking' : 'auto';
  }
  if (format !== 'openai') return 'left out';
  if (setting === 'max_tokens') return ways.max_completion_tokens ? 'left out' : 'max_completion_tokens';
  if (setting === 'max_completion_tokens') return ways.max_tokens ? 'left out' : 'max_tokens';
  return 'left out';
}
