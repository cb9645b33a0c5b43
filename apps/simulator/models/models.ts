import type { ModelRequest } from './model-request.js';
import type { TokenUsage } from '../ledger.js';
import { conversationalReply, type Manner } from './conversation/conversational-reply.js';
import { correctReply, type CorrectReply } from './correct-reply.js';
import { chance, hash } from '../formats/chance.js';
import { readEvidence } from './judge-evidence.js';
import { judgeReply } from './judge-reply.js';
import { readJudgeRules } from './judge-rules.js';
import { HOSTS } from '../hosts/hosts.js';
import { metaReply, readTask } from './meta-reply.js';
import { ALL_KEPT } from './model-state.js';
import type { Behaviour } from './behaviour.js';
import { newBucket, rateLimitHeaders, take } from './rate-limit.js';
import { paramSensitiveReply } from './param-sensitive-reply.js';
import { promptSensitiveReply } from './prompt-sensitive-reply.js';
import { nextScriptedReply } from './scripts.js';
import * as spoil from './spoil-reply.js';
import { usageOf } from './usage.js';
import {
  completion,
  replyTokens,
  errorResponse,
  jsonResponse,
  type ResponsePlan,
  type ChatRequest,
  type Reply,
} from '../formats/chat-completions.js';

/** The share of cases in which the careless model makes a mistake. */
const CARELESS_SHARE = 0.65;
const OVERLOADED_BURST = { of: 20, refused: 4 };
const HUGE_CHARACTERS = 20 * 1024 * 1024;

/** @param chance the name of the random number that decides how the correct reply is spoiled */
const spoiled = (about: string, spoil: (reply: CorrectReply, at: number) => Reply, chance?: string): Behaviour => ({
  about,
  reply: (asked) => spoil(asked.correctReply(), chance === undefined ? 0 : asked.chance(chance)),
});

const inConversations = (manner: Manner, about: string): Record<string, Behaviour> => ({
  [manner]: { about, reply: ({ request }) => conversationalReply(request, manner) },
});

const BEHAVIOURS: Record<string, Behaviour> = {
  'perfect-ish': { about: 'Answers well by lexical heuristics: mostly the right tool with the right arguments.' },
  'careless-arguments': {
    about: 'The right tool; in two of three cases one argument is wrong or missing.',
    reply: (asked) =>
      asked.chance('careless') < CARELESS_SHARE
        ? spoil.wrongArgument(asked.correctReply(), asked.chance('which'))
        : asked.correctReply(),
  },
  'wrong-tool': spoiled('Always another tool than it should.', spoil.wrongTool, 'which'),
  'text-only': spoiled('Describes what it would do and calls nothing.', spoil.asText),
  'json-in-name': spoiled('Puts the whole call into function.name.', spoil.jsonInName),
  'json-in-content': spoiled('Writes its call as JSON into the text.', spoil.jsonInContent, 'fence'),
  'malformed-json': spoiled('Arguments that do not parse.', spoil.malformedJson, 'how'),
  'double-encoded': spoiled('Arguments encoded twice.', spoil.doubleEncoded),
  parallel: spoiled('The right call and one or two more.', spoil.withExtraCalls, 'extra'),
  'unknown-tool': spoiled('Calls a tool that does not exist.', spoil.unknownTool),
  'never-stops': {
    about: 'Calls the same tool again whatever it answered.',
    reply: ({ request }) =>
      correctReply({
        ...request,
        messages: request.messages.filter(({ role }) => role !== 'tool' && role !== 'assistant'),
      }),
  },
  'cut-off': spoiled('Ends in the middle of its arguments, with finish_reason "length".', (reply) =>
    spoil.cutOff(reply),
  ),
  'content-filter': {
    about: 'No text, no call, finish_reason "content_filter".',
    reply: () => ({ content: null, calls: [], finish: 'content_filter' }),
  },
  instant: {
    about: 'Calls the first tool with the plainest arguments: constant work, for benchmarks.',
    reply: ({ request }) =>
      request.tools?.[0]
        ? { content: null, calls: [spoil.minimalCall(request.tools[0])] }
        : { content: 'ok', calls: [] },
  },
  ...inConversations(
    'follows-rules',
    'In conversations: calls what the user wants, in the order that the system prompt demands.',
  ),
  ...inConversations('claims-success', 'In conversations: says that it did what it never tried.'),
  ...inConversations('loops-on-errors', 'In conversations: repeats a call that failed, until it succeeds.'),
  ...inConversations('gives-up', 'In conversations: gives up at the first error.'),
  ...inConversations('reads-too-much', 'In conversations: first calls all that it can read.'),
  slow: {
    about: 'Answers well after that many milliseconds.',
    number: { means: 'ms', example: 500 },
    latencyMs: ({ number }) => number,
  },
  'heavy-tail': {
    about: 'Answers well after a lognormal time with that median; one in a hundred takes ten times as long.',
    number: { means: 'ms', example: 300 },
    latencyMs: ({ number, chanceNow }) =>
      Math.min(60 * number, number * Math.exp(normal(chanceNow('a'), chanceNow('b')))),
  },
  flaky: {
    about: 'That share of requests fails: 500, 502, 503, a reset, or half an answer. Trying again may help.',
    number: { means: 'percent', example: 20 },
    respond: ({ number, chanceNow }) => (chanceNow('fails') * 100 < number ? failure(chanceNow('how')) : undefined),
  },
  'limited-tokens': {
    about: 'Refuses with 429 what exceeds that many tokens a minute.',
    number: { means: 'per minute', example: 20_000 },
    respond: (asked) => limit(asked, 'tokens', asked.promptTokens + replyTokens(asked.correctReply())),
    headers: ({ state }) => state.limitHeaders,
  },
  limited: {
    about: 'Refuses with 429 what exceeds that many requests a minute.',
    number: { means: 'per minute', example: 120 },
    respond: (asked) => limit(asked, 'requests', 1),
    headers: ({ state }) => state.limitHeaders,
  },
  overloaded: {
    about: `Of every ${OVERLOADED_BURST.of} requests the first ${OVERLOADED_BURST.refused} get 529.`,
    respond: ({ state }) =>
      (state.requests - 1) % OVERLOADED_BURST.of < OVERLOADED_BURST.refused
        ? errorResponse(529, 'Overloaded', 'overloaded_error')
        : undefined,
  },
  hangs: { about: 'Accepts the request and never answers.', respond: () => ({ do: 'hang' }) },
  'no-required': {
    about: 'Answers 400 when tool_choice is "required"; else well.',
    respond: ({ request }) =>
      request.tool_choice === 'required'
        ? errorResponse(
            400,
            "Invalid value: 'required'. This model supports tool_choice 'auto' and 'none' only.",
            'unsupported_value',
            { param: 'tool_choice' },
          )
        : undefined,
  },
  'no-temperature': {
    about: 'Answers 400 when temperature is given; else well.',
    respond: ({ request }) =>
      request.temperature !== undefined
        ? errorResponse(
            400,
            "Unsupported parameter: 'temperature' is not supported with this model.",
            'unsupported_parameter',
            { param: 'temperature' },
          )
        : undefined,
  },
  'bad-request': {
    about: 'Answers 400 with the failed generation, as hosts do that parse calls themselves.',
    respond: (asked) => {
      const call = asked.correctReply().calls[0];
      const failed = call
        ? `<function=${call.name}>${JSON.stringify(call.arguments)}`
        : 'I cannot call a tool for that.';
      return errorResponse(
        400,
        "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        'tool_use_failed',
        { failed_generation: failed },
      );
    },
  },
  'wrong-key': { about: 'Answers 401 to every key.', respond: () => wrongKey() },
  'html-error': {
    about: "A proxy's 502 page in HTML.",
    respond: () =>
      page(502, '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>'),
  },
  'html-page': {
    about: 'A web page with status 200, as from a wrong base URL.',
    respond: () => page(200, '<!doctype html><html><head><title>Welcome</title></head><body>It works!</body></html>'),
  },
  redirect: {
    about: 'Answers 307 to a place of the simulator that counts who follows.',
    respond: () => ({ do: 'send', status: 307, headers: { location: '/redirected' }, body: '' }),
  },
  huge: {
    about: 'The right call with 20 MB of text around it.',
    reply: (asked) => ({
      ...asked.correctReply(),
      content: HUGE_TEXT.repeat(Math.ceil(HUGE_CHARACTERS / HUGE_TEXT.length)),
    }),
  },
  'invalid-utf8': {
    about: 'The right call in bytes that are not UTF-8.',
    respond: (asked) => {
      const whole = completionOf(asked, { ...asked.correctReply(), content: 'Voil~' });
      const body = Buffer.from(JSON.stringify(whole.body));
      body[body.indexOf('Voil~') + 4] = 0xe0; // "à" in Latin-1
      return { do: 'send', status: 200, body, usage: whole.usage };
    },
  },
  scripted: {
    about: 'Answers what was posted to /control/scripted/<its id>.',
    respond: (asked) => nextScriptedReply(asked, completionOf),
  },
  'param-sensitive': {
    about: 'Best at a temperature of 0.3, a top_p of at most 0.5 and a required tool call; worse the further from it.',
    reply: paramSensitiveReply,
  },
  'prompt-sensitive': {
    about: 'As good as its prompts, by the phrases posted to /control/prompt-sensitive/<its id>.',
    reply: (asked) => promptSensitiveReply(asked, asked.state.sensitivity!),
    respond: ({ state, request: { model } }) =>
      state.sensitivity
        ? undefined
        : withoutRules(`No phrases are posted yet for "${model}".`, 'prompt-sensitive', model),
  },
  meta: {
    about: 'Improves the prompts of other models, by the rules posted to /control/meta/<its id>.',
    kept: ALL_KEPT,
    respond: (asked) => {
      const { state, request } = asked;
      if (!state.metaRules)
        return withoutRules(`"${request.model}" has no rules for improving prompts yet.`, 'meta', request.model);
      const task = readTask(request);
      if (typeof task === 'string') return errorResponse(400, task, 'no_task');
      return sendReply(asked, BEHAVIOURS.meta!, metaReply(task, request, state.metaRules));
    },
  },
  judge: {
    about: 'Judges the calls of other models, as was posted to /control/judge/<its id>, or else well.',
    kept: ALL_KEPT,
    latencyMs: ({ state }) => state.judgeRules?.latency_ms ?? 0,
    respond: (asked) => {
      const { state, request } = asked;
      const evidence = readEvidence(request);
      if (typeof evidence === 'string') return errorResponse(400, evidence, 'no_evidence');
      state.judgeRules ??= readJudgeRules({});
      return sendReply(asked, BEHAVIOURS.judge!, judgeReply(evidence, request, state.judgeRules));
    },
  },
  ...HOSTS,
};

const withoutRules = (what: string, base: string, model: string): ResponsePlan =>
  errorResponse(400, `${what} Post rules to /control/${base}/${encodeURIComponent(model)}.`, 'no_rules');

const page = (status: number, body: string): ResponsePlan => ({
  do: 'send',
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
});
const HUGE_TEXT = 'All work and no play makes a long reply. ';

export const wrongKey = (): ResponsePlan =>
  errorResponse(401, 'Incorrect API key provided: wr***. You can find your key in your account.', 'invalid_api_key');

export interface Model {
  behaviour: Behaviour;
  number: number;
  /** From `name@<ms>`, or `name-<ms>` where the number has no other meaning. */
  latencyMs: number;
}

/**
 * Parses `base[-<number>][@<latency ms>][:<instance>]`, where a base may be `host:<name>`. Each instance has its own
 * counters, limits and scripts.
 */
export function readModelName(name: string): Model | undefined {
  const [, plain = '', latency] = /^((?:host:)?[^@:]*)(?:@(\d{1,6}))?(?::.*)?$/s.exec(name) ?? [];
  const numbered = /^(.+)-(\d{1,9})$/.exec(plain);
  const base = numbered && BEHAVIOURS[numbered[1]!] ? numbered[1]! : plain;
  const behaviour = Object.hasOwn(BEHAVIOURS, base) ? BEHAVIOURS[base]! : undefined;
  if (!behaviour) return undefined;
  const number = base === plain ? behaviour.number?.example : Number(numbered![2]);
  return {
    behaviour,
    number: number ?? 0,
    latencyMs: Number(latency ?? 0) + (!behaviour.number && base !== plain ? number! : 0),
  };
}

export const MODEL_NAMES = Object.entries(BEHAVIOURS).map(([base, { about, number }]) => ({
  id: number ? `${base}-${number.example}` : base,
  about,
}));

export function respond(asked: ModelRequest, model: Model): ResponsePlan {
  const { behaviour, latencyMs } = model;
  const answer = behaviour.respond?.(asked) ?? sendReply(asked, behaviour);
  const delayMs = latencyMs + (behaviour.latencyMs?.(asked) ?? 0);
  return delayMs > 0 && answer.do === 'send' ? { ...answer, delayMs: delayMs + (answer.delayMs ?? 0) } : answer;
}

function sendReply(
  asked: ModelRequest,
  behaviour: Behaviour,
  reply = behaviour.reply?.(asked) ?? asked.correctReply(),
): ResponsePlan {
  const { max_completion_tokens: most, max_tokens: max } = asked.request;
  const allowed = behaviour === BEHAVIOURS.huge ? reply : spoil.withinTokens(reply, most ?? max);
  const { body, usage } = completionOf(asked, allowed);
  return { ...jsonResponse(200, body, behaviour.headers?.(asked)), usage };
}

function completionOf(asked: ModelRequest, reply: Reply): { body: Record<string, unknown>; usage: TokenUsage } {
  const usage = usageOf(asked, reply);
  return { body: completion(reply, asked.request.model, usage, `${asked.prompt}\u0000${asked.repetition}`), usage };
}

function failure(at: number): ResponsePlan {
  if (at < 0.2) return errorResponse(500, 'The server had an error while processing your request. Sorry about that!');
  if (at < 0.4) return page(502, '<html><body><h1>502 Bad Gateway</h1></body></html>');
  if (at < 0.6)
    return errorResponse(503, 'The engine is currently overloaded, please try again later.', 'service_unavailable', {
      headers: { 'retry-after': '0' },
    });
  return at < 0.8
    ? { do: 'reset' }
    : {
        do: 'half',
        body: '{"id":"chatcmpl-half","object":"chat.completion","choices":[{"index":0,"message":{"role":"assist',
      };
}

function limit(asked: ModelRequest, what: 'requests' | 'tokens', cost: number): ResponsePlan | undefined {
  const { state, nowMs } = asked;
  const number = Math.max(1, asked.number);
  state.bucket ??= newBucket(number, nowMs);
  const taken = take(state.bucket, cost, nowMs);
  const headers = rateLimitHeaders(what, number, taken);
  state.limitHeaders = headers;
  if (taken.retryAfterMs === 0) return undefined;
  const message =
    `Rate limit reached for ${asked.request.model} on ${what} per min: Limit ${number}. Please try ` +
    `again in ${taken.retryAfterMs}ms.`;
  return errorResponse(429, message, 'rate_limit_exceeded', { headers });
}

/** A standard normal value, by the Box-Muller transform. */
const normal = (a: number, b: number): number => Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);

/**
 * The random numbers of a request, derived from the seed. At a temperature above 0 each repetition gets different ones,
 * as in sampling.
 */
export function chancesOf(
  seed: number,
  request: ChatRequest,
  repetition: number,
): Pick<ModelRequest, 'chance' | 'chanceNow'> {
  const sampled = (request.temperature ?? 0) > 0 ? repetition : 0;
  let conversation: number | undefined;
  const about = () => (conversation ??= hash(JSON.stringify(request.messages)));
  return {
    chance: (what) => chance(seed, request.model, request.seed ?? 0, about(), sampled, what),
    chanceNow: (what) => chance(seed, request.model, request.seed ?? 0, about(), repetition, what),
  };
}
