import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { wordSet } from '#lib/contracts/word-set';
import { callOf } from '#lib/scoring/replies/call-shape';
import { REASON_FIELDS, reasonWord } from '#lib/recorded/read-response';
import { mayBeJson, parseIfJson } from './json-text.js';

/** Names of call fields in all tools, lower-case and without separators. */
const CALLS = wordSet(
  'toolcall toolcalls toolcallchunks invalidtoolcalls functioncall functioncalls tooluse tooluses customtoolcall',
  'toolinvocation toolinvocations computercall localshellcall shellcall applypatchcall functioncallname',
  'functioncallcontent toolexecutionrequest toolexecutionrequests functioninvocationinput apiinvocationinput',
  'actiongroupinvocationinput',
);
/** Fields in which a library or an application reports, next to a text, the calls that led to it. */
const REPORTS = wordSet(
  'toolcallid toolscalled calledtools toolsused usedtools toolcallsmade formattedtoolcalls toolresults',
  'intermediatesteps',
);
/** Keys for the name and the arguments of a call that occur together in nothing else. */
const NAMES = new Set(['toolname', 'functionname', 'recipientname']);
const ARGUMENTS = wordSet('args arguments input parameters toolargs toolinput toolkwargs functionarguments');
/** JavaScript's placeholders for values that are nested too deeply to print. */
const TOO_DEEP = new Set(['[Object]', '[Array]', '[Circular]', '[MaxDepth]']);
/** Calls that the provider answers itself. */
const PROVIDER_CALL_TYPES = new Set(['server_tool_use', 'mcp_tool_use', 'mcp_call']);
/** Fields that belong to the request, or list the available tools. */
const REQUEST_FIELDS = wordSet(
  'tools tool_choice toolchoice toolconfig functions request instructions available_tools',
);
/** Fields that only occur in a response of a provider or of a library around one. */
const ENVELOPE_FIELDS = wordSet(
  'choices candidates generations llm_output delta additional_kwargs response_metadata usage_metadata usagemetadata',
  'system_fingerprint finish_reason finishreason stop_reason stopreason done_reason required_action status_code',
);
const OBJECT_PATTERN = /^(?:chat\.completion|response|realtime|thread|text_completion|message)\b/;
const TYPE_PATTERN = /^(?:response\.|message_(?:start|delta|stop)|content_block_|constructor$)/;

/** Matches every JSON of a call or of an envelope. */
const MAY_HOLD_CALL = /tool|function|choices|candidates|generations|role|name|finish|stop_/i;
/** The maximum number of texts searched in a value. A value with more texts that may contain a call is not read. */
const MAX_TEXTS = 1000;

const plain = (word: string): string =>
  word
    .slice(0, 40)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');

/** The search criteria, and the number of texts that may still be searched; undefined if texts are not searched. */
interface Search {
  isFoundField: (key: string, inner: Json) => boolean;
  isFound: (value: JsonObject) => boolean;
  texts?: number;
}

const isFieldOfCall = (key: string, inner: Json): boolean => isFilledAs(CALLS, key, inner);
const isReport = (key: string, inner: Json): boolean =>
  isFilledAs(CALLS, key, inner) || isFilledAs(REPORTS, key, inner);

/**
 * The path of an apparent call in a recorded reply: `choices[0].message.tool_calls`. Texts are not searched.
 * @param value nested no deeper than the limit for files
 */
export const placeOfCall = (value: Json): string | undefined =>
  find(value, '', { isFoundField: isReport, isFound: isCall });

/**
 * The path of an apparent call or part of a provider's response in a value, including the JSON in its texts. A plain
 * answer in JSON has none.
 * @param isSaid whether the model itself wrote the value: it may mention the tools that it called before
 */
export const placeOfEnvelope = (value: Json, isSaid = false): string | undefined =>
  find(value, '', {
    isFoundField: (key, inner) =>
      (isSaid ? isFieldOfCall : isReport)(key, inner) ||
      (ENVELOPE_FIELDS.has(key.toLowerCase()) && isEnvelopePart(key, inner)),
    isFound: (one) => isCall(one) || isEnvelope(one),
    texts: MAX_TEXTS,
  });

function find(value: Json, at: string, search: Search): string | undefined {
  if (typeof value === 'string') return TOO_DEEP.has(value) ? shorten(at) : findInText(value, at, search);
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) {
      const place = isSearched(inner) ? find(inner, `${at}[${index}]`, search) : undefined;
      if (place !== undefined) return place;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  if (search.isFound(value)) return shorten(at || 'the whole of it');
  for (const key in value) {
    const inner = value[key]!;
    const place = at === '' ? key : `${at}.${key}`;
    if (search.isFoundField(key, inner)) return shorten(place);
    if (!isSearched(inner) || (REQUEST_FIELDS.has(key.toLowerCase()) && !isOfRuns(inner))) continue;
    const found = find(inner, place, search);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isSearched = (value: Json): boolean => typeof value === 'object' || typeof value === 'string';

function findInText(text: string, at: string, search: Search): string | undefined {
  if (search.texts === undefined || !mayBeJson(text) || !MAY_HOLD_CALL.test(text)) return undefined;
  if (search.texts-- === 0) return shorten(at);
  const read = parseIfJson(text);
  return typeof read === 'string' ? undefined : find(read!, at, search);
}

const MAX_PLACE = 100;
const shorten = (place: string): string => (place.length > MAX_PLACE ? `${place.slice(0, MAX_PLACE)}...` : place);

/** Agno lists tool runs under the key of tool definitions. */
const isOfRuns = (inner: Json): boolean =>
  Array.isArray(inner) && inner.some((one) => isObject(one) && one.tool_call_id !== undefined);

function isFilledAs(names: ReadonlySet<string>, key: string, inner: Json): boolean {
  if (!names.has(plain(key))) return false;
  if (typeof inner === 'number') return inner > 0;
  if (Array.isArray(inner)) return inner.length > 0;
  if (isObject(inner)) return Object.keys(inner).length > 0;
  return typeof inner === 'string' && !['', '[]', '{}', 'null', 'none', 'None'].includes(inner.trim());
}

function isCall(value: JsonObject): boolean {
  const kind = value.type ?? value.part_kind ?? value.block_type ?? value.$type;
  if (typeof kind === 'string' && CALLS.has(plain(kind)) && kind.length < 40) return true;
  if (hasCallFinishReason(value)) return true;
  if (PROVIDER_CALL_TYPES.has(kind as string)) return false;
  if (namesCall(value)) return true;
  const call = callOf(value);
  return call !== undefined && (isObject(call.arguments) || typeof call.arguments === 'string');
}

/** LangChain's agents also write their answer in the form of an action. */
function namesCall(value: JsonObject): boolean {
  const { action, action_input: input } = value;
  if (typeof action === 'string' && input !== undefined) return action !== 'Final Answer';
  const keys = Object.keys(value).filter((key) => key.length < 20);
  const isNamed = keys.some((key) => typeof value[key] === 'string' && NAMES.has(plain(key)));
  return isNamed && keys.some((key) => ARGUMENTS.has(plain(key)));
}

const hasCallFinishReason = (value: JsonObject): boolean =>
  REASON_FIELDS.some((key) => typeof value[key] === 'string' && CALLS.has(plain(reasonWord(value[key]))));

/** A quiz may have "choices", and a survey "candidates", as lists of texts. */
const isEnvelopePart = (key: string, inner: Json): boolean =>
  !['choices', 'candidates', 'generations', 'delta'].includes(key.toLowerCase()) || !isListOfTexts(inner);
const isListOfTexts = (inner: Json): boolean =>
  Array.isArray(inner) ? inner.length > 0 && inner.every((one) => typeof one === 'string') : typeof inner !== 'object';

const isEnvelope = ({ role, object, type }: JsonObject): boolean =>
  role === 'assistant' ||
  role === 'model' ||
  (typeof object === 'string' && OBJECT_PATTERN.test(object)) ||
  (typeof type === 'string' && TYPE_PATTERN.test(type));
