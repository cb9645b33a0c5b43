import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '#lib/contracts/json/json';
import { unknownModel, type States } from './control.js';
import { errorResponse, textOf, tokensOf, type ChatRequest, type ResponsePlan } from './formats/chat-completions.js';
import type { Format } from './formats/format.js';
import { formatOf, inFormat } from './formats/formats.js';
import { refuseOpenAiName, type Refused } from './formats/check-names.js';
import { correctReply, type CorrectReply } from './models/correct-reply.js';
import { countRequest, type ModelState } from './models/model-state.js';
import { chancesOf, readModelName, respond, wrongKey, type Model } from './models/models.js';
import { NOT_JSON, notJson, tryReadBody } from './read-body.js';
import { openAiPrompt, refuseCacheSettings } from './prompt-cache/implicit.js';
import { MIN_CACHED_TOKENS, UNCACHED, type CacheablePrompt, type CacheUse } from './prompt-cache/prompt-cache.js';
import { sendResponse } from './send-response.js';
import { hasWrongKey } from './wrong-key.js';

/** Everything that depends only on the text of a request. */
interface ReadRequest {
  request: ChatRequest;
  wire: JsonObject;
  model: Model;
  state: ModelState;
  userText: string;
  prompt: string;
  tokens: number;
  /** The format of the request, if not chat completions. */
  format: Format | undefined;
  /** Created lazily. */
  cacheable?: CacheablePrompt | null;
  correctReply?: CorrectReply;
}

const MAX_CACHED_REQUESTS = 2000;
const MAX_CACHED_CHARACTERS = 50_000;

/** Answers requests for chat completions, in OpenAI's format and in others. */
export class ChatHandler {
  /**
   * Parsed requests by their text. Runs repeat requests (samples, retries, benchmarks). A request is cached from its
   * second occurrence, so that one-off prompts take no memory.
   */
  readonly #cache = new Map<string, ReadRequest>();

  constructor(
    readonly seed: number,
    readonly states: States,
  ) {}

  handle(text: string, incoming: IncomingMessage, response: ServerResponse): void {
    const target = formatOf(incoming.url!);
    const send = (plan: ResponsePlan, state?: ModelState): void =>
      sendResponse(response, target ? inFormat(target.format, plan) : plan, state);
    if (hasWrongKey(incoming)) return send(wrongKey());
    const key = target ? `${incoming.url} ${text}` : text;
    const read = this.#cached(key) ?? this.#read(text, incoming);
    if ('do' in read) return send(read);
    send(this.#respond(read, key, text), read.state);
  }

  /** After a reset, a cached request would be counted in a discarded state. */
  #cached(key: string): ReadRequest | undefined {
    const cached = this.#cache.get(key);
    return cached && this.states.of(cached.request.model) === cached.state ? cached : undefined;
  }

  /** @returns the error response if the request is refused */
  #read(text: string, incoming: IncomingMessage): ReadRequest | ResponsePlan {
    let body = tryReadBody(text);
    if (body === NOT_JSON) return notJson();
    const wire = (body ?? {}) as JsonObject;
    const target = formatOf(incoming.url!);
    try {
      if (target) body = target.format.read(wire, target.model, incoming.headers);
      const problem = problemOf(body as ChatRequest);
      if (problem) return problem;
      if (!target) refuseNames(body as ChatRequest);
      if (!target) refuseCacheSettings(wire);
    } catch (error) {
      const { code, param } = error as Partial<Refused>;
      return errorResponse(400, (error as Error).message, code, { param });
    }
    const request = body as ChatRequest;
    const model = readModelName(request.model);
    if (!model) return unknownModel(request.model);
    const lastUser = request.messages.findLastIndex((message) => message.role === 'user');
    const userText = textOf(request.messages[lastUser]?.content).trim();
    const round = 1 + request.messages.slice(lastUser + 1).filter((message) => message.role === 'assistant').length;
    const prompt = round === 1 ? userText : `${userText} (round ${round})`;
    return {
      request,
      wire,
      model,
      state: this.states.of(request.model),
      userText,
      prompt,
      tokens: tokensOf(text),
      format: target?.format,
    };
  }

  #respond(read: ReadRequest, key: string, text: string): ResponsePlan {
    const { request, model, state } = read;
    const nowMs = Date.now();
    const repetition = countRequest(state, { prompt: read.prompt, body: text, nowMs, kept: model.behaviour.kept });
    if (repetition > 0 && text.length < MAX_CACHED_CHARACTERS && !this.#cache.has(key)) {
      if (this.#cache.size >= MAX_CACHED_REQUESTS) this.#cache.clear();
      this.#cache.set(key, read);
    }
    state.promptTokens += read.tokens;
    const off = this.states.offOf(state);
    if (off) return whileOff(off.status, request.model);
    let used: CacheUse | undefined;
    return respond(
      {
        request,
        wire: read.wire,
        number: model.number,
        state,
        userText: read.userText,
        prompt: read.prompt,
        promptTokens: read.tokens,
        useCache: () => (used ??= useCache(read, nowMs + this.states.aheadMs)),
        repetition,
        nowMs,
        seed: this.seed,
        ...chancesOf(this.seed, request, repetition),
        correctReply: () => (read.correctReply ??= correctReply(request)),
      },
      model,
    );
  }
}

function useCache(read: ReadRequest, nowMs: number): CacheUse {
  const { tokens, state } = read;
  if (tokens <= MIN_CACHED_TOKENS) return UNCACHED;
  if (read.cacheable === undefined) read.cacheable = cacheableOf(read);
  return read.cacheable?.use(state.promptCache, nowMs, tokens) ?? UNCACHED;
}

/** @returns null for a prompt that cannot be cached, such as one nested too deep to serialise */
function cacheableOf({ wire, format }: ReadRequest): CacheablePrompt | null {
  try {
    return (format ? format.cacheable(wire) : openAiPrompt('chat', wire, wire.messages ?? null)) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function problemOf(body: ChatRequest): ResponsePlan | undefined {
  const wrong = (param: string, message: string) => errorResponse(400, message, null, { param });
  if (typeof body !== 'object' || body === null) return errorResponse(400, 'The body must be a JSON object.');
  if (typeof body.model !== 'string') return wrong('model', 'you must provide a model parameter');
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return wrong('messages', "'messages' must be an array of at least one message.");
  const withoutRole = body.messages.findIndex((message) => typeof message?.role !== 'string');
  if (withoutRole >= 0)
    return wrong(`messages[${withoutRole}].role`, `Missing required parameter: 'messages[${withoutRole}].role'.`);
  if (body.tools !== undefined && (!Array.isArray(body.tools) || body.tools.length === 0))
    return wrong('tools', "'tools' must be an array of at least one tool; leave it out otherwise.");
  if (body.tool_choice !== undefined && !body.tools)
    return wrong('tool_choice', "'tool_choice' is only allowed when 'tools' are specified.");
  if ((body as { stream?: unknown }).stream === true)
    return wrong('stream', 'This simulator does not stream. Leave "stream" out.');
  return undefined;
}

function refuseNames({ tools = [], messages }: ChatRequest): void {
  tools.forEach((tool, index) => refuseOpenAiName(`tools[${index}].function.name`, tool?.function?.name));
  messages.forEach(({ tool_calls: calls }, index) => {
    if (Array.isArray(calls))
      calls.forEach((call, at) =>
        refuseOpenAiName(`messages[${index}].tool_calls[${at}].function.name`, call?.function?.name),
      );
  });
}

function whileOff(status: number | 'reset' | 'hang', model: string): ResponsePlan {
  if (status === 'reset') return { do: 'reset' };
  if (status === 'hang') return { do: 'hang' };
  return errorResponse(status, `The model "${model}" is switched off.`, 'switched_off');
}
