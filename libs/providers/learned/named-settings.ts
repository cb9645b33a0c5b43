import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { hasStrictTools } from '#lib/contracts/strict-tools';
import { replyFieldsIn } from './adapt-request.js';

/**
 * Parameters that may be dropped without changing the question, by their names in requests, with the names that hosts
 * use for them, in lower case and without separators.
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
  tool_choice: ['toolchoice', 'functioncallingconfig'],
  prompt_cache: ['promptcachekey', 'cachecontrol'],
};
/** A name may be written as several words: "parallel tool calls". */
const MAX_WORDS_OF_NAME = 3;
const MAX_FIELD_CHARACTERS = 60;
/** The context around a name that is compared with the request, to detect quoted passages. */
const PASSAGE_CHARACTERS = 24;
const MAX_REQUEST_CHARACTERS = 1_000_000;

const plain = (word: string): string => word.replace(/[_-]/g, '').toLowerCase();

/** The settings of a request that its model may reject, with the names that hosts write. */
const settingsIn = (sent: JsonObject): [string, readonly string[]][] =>
  Object.entries(PARAMS).filter(([setting]) =>
    setting === 'strict' ? Array.isArray(sent.tools) && hasStrictTools(sent.tools) : setting in sent,
  );

/**
 * The setting of the request that a path such as `tools[0].function.strict`, `body.tool_choice.any` or
 * `messages.2.annotations` refers to.
 */
export function settingNamed(path: string, sent: JsonObject): string | undefined {
  const parts = path
    .split(/[.[\]/]+/)
    .filter((part) => part !== '')
    .reverse();
  const fields = [...replyFieldsIn(sent)];
  const fieldNamed = (part: string): string | undefined => fields.find((one) => one.split('.').at(-1) === part);
  if (parts.includes('messages')) return parts.map(fieldNamed).find(Boolean);
  const isInTool = parts.some((part) => /^(?:tools?|functions?|function_declarations)$/.test(part));
  if (isInTool && parts[0] !== 'strict' && parts[0] !== 'cache_control') return undefined;
  const settings = settingsIn(sent);
  const settingOf = (part: string): string | undefined =>
    settings.find(([, names]) => names.includes(plain(part)))?.[0] ?? fieldNamed(part);
  return parts.map(settingOf).find(Boolean);
}

interface Mention {
  setting: string;
  start: number;
  end: number;
}

/** The settings of a request that an error text mentions: first those that it calls a parameter, in text order. */
export function settingsMentioned(words: string, sent: JsonObject): string[] {
  const mentions = mentionsIn(words, sent);
  if (mentions.length === 0) return [];
  const request = passage(JSON.stringify([sent.messages ?? null, sent.tools ?? null]).slice(0, MAX_REQUEST_CHARACTERS));
  const isQuoted = ({ start, end }: Mention): boolean =>
    [words.slice(Math.max(0, start - PASSAGE_CHARACTERS), end), words.slice(start, end + PASSAGE_CHARACTERS)]
      .map(passage)
      .some((around) => around.length > end - start + PASSAGE_CHARACTERS / 2 && request.includes(around));
  const own = mentions.filter(
    (one) => !isNameOfTool(one.setting, words.slice(Math.max(0, one.start - 30), one.start)) && !isQuoted(one),
  );
  const called = own.filter(({ start }) => CALLED_PARAMETER.test(words.slice(Math.max(0, start - 30), start)));
  return [...new Set([...called, ...own].map(({ setting }) => setting))];
}

/** The letters and digits of a text, in the same form as in its JSON. */
const passage = (text: string): string => text.replace(/\\[nrt]|[^\p{L}\d]+/gu, ' ').trim();

const CALLED_PARAMETER = /\b(?:param|parameter|argument|field|key|property|name)s?(?:\(s\))?[^\w.]{1,6}$/i;
const isNameOfTool = (setting: string, before: string): boolean =>
  setting !== 'strict' && /\b(?:tool|function)s?(?: call| name| named)?[^\w.[]{1,4}$/i.test(before);

function mentionsIn(words: string, sent: JsonObject): Mention[] {
  const tokens = [...words.matchAll(/[A-Za-z][\w-]*/g)];
  const settings = settingsIn(sent);
  const fields = [...replyFieldsIn(sent)].filter((field) => field.length <= MAX_FIELD_CHARACTERS + 'messages.'.length);
  const found: Mention[] = [];
  const add = (setting: string, start: number, length: number): void => {
    const last = found.at(-1);
    // The last part of a path is the setting: tool_choice.disable_parallel_tool_use.
    const isSamePath = last && last.end < start && /^[.[\]][\w.[\]]{0,60}$/.test(words.slice(last.end, start));
    if (isSamePath) found.pop();
    found.push({ setting, start, end: start + length });
  };
  for (const [first, token] of tokens.entries()) {
    for (let count = 1; count <= MAX_WORDS_OF_NAME; count++) {
      const parts = tokens.slice(first, first + count);
      const name = plain(parts.map(([word]) => word).join(''));
      const last = parts.at(-1)!;
      for (const [setting, names] of settings)
        if (names.includes(name)) add(setting, token.index, last.index + last[0].length - token.index);
    }
    const field = fields.find((one) => one.split('.').at(-1) === token[0]);
    const isMarked =
      token[0].includes('_') || /['"`.:] ?$/.test(words.slice(Math.max(0, token.index - 2), token.index));
    if (field && isMarked) add(field, token.index, token[0].length);
  }
  return found;
}

/**
 * Matches an error's quotation of the request (`'input': {...}`, `input_value=...`, `field: 'x', value: ...`), up to
 * the next detail.
 */
const QUOTATION = new RegExp(
  [
    /\\{0,8}['"]input\\{0,8}['"]\s?:.*?(?=\{\\{0,8}['"](?:type|loc|msg)\\{0,8}['"]|$)/,
    /\binput_value=[^\n]*/,
    /, value: .*$/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gs',
);
/** Matches an error's list of accepted values. */
const ACCEPTED_LIST = new RegExp(
  [
    /\bexpected one of.*?(?=\.\s|$)/,
    /(?<!not )\b(?:supported|allowed|valid|accepted) (?:param|parameter|field|argument)s?(?: are|:).*?(?=\.\s|$)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gim',
);

/** The text of an error without the parts that do not say what is rejected. */
export const withoutQuotations = (words: string): string => words.replace(QUOTATION, '').replace(ACCEPTED_LIST, '');

/**
 * @returns the texts in an error's `param` and in the paths of its details, if `refuses` matches the detail or it
 *   concerns `tool_choice`
 */
export function namesIn({ param, detail, details }: JsonObject, refuses: (words: string) => boolean): string[] {
  return [
    ...(typeof param === 'string' ? [param] : []),
    ...detailsIn(detail ?? details)
      .filter(({ words, place }) => refuses(words) || /\btool_choice\b/.test(place))
      .map(({ place }) => place),
  ].map((name) => name.slice(0, 200));
}

const MAX_DETAILS = 20;

/** Details as FastAPI lists them: `{"type", "loc", "msg", "input"}`. */
export const detailsIn = (list: Json | undefined): { place: string; words: string }[] =>
  (Array.isArray(list) ? list : [])
    .slice(0, MAX_DETAILS)
    .filter(isObject)
    .flatMap(({ type = '', loc, msg = '' }) =>
      Array.isArray(loc)
        ? [{ place: loc.map((part) => toText(part)).join('.'), words: `${toText(type)} ${toText(msg)}` }]
        : [],
    );
