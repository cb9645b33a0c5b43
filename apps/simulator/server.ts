import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter } from 'prom-client';
import { registry } from '#lib/runtime/metrics';
import type { JsonObject } from '#lib/contracts/json/json';
import { correctReply, type CorrectReply } from './models/correct-reply.js';
import { Refused, refuseOpenAiName } from './models/check-names.js';
import { control, States, unknownModel } from './control.js';
import { embed, EMBEDDING_DIMENSIONS, toBase64 } from './models/embeddings.js';
import { formatOf, formatOfHost, inFormat } from './formats/formats.js';
import { countRequest, type ModelState } from './models/model-state.js';
import { respond, chancesOf, MODEL_NAMES, readModelName, wrongKey, type Model } from './models/models.js';
import { readBody } from './read-body.js';
import {
  errorResponse,
  jsonResponse,
  textOf,
  tokensOf,
  usage,
  type ResponsePlan,
  type ChatRequest,
} from './formats/chat-completions.js';

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const EMBEDDING_MODEL = 'embeddings';
const answered = new Counter({
  name: 'toolmark_simulator_answers_total',
  help: 'Chat completions by how they ended: a status, reset, half, or abandoned by the client.',
  labelNames: ['end'],
  registers: [registry],
});

export interface Simulator {
  /** Starts to listen (port 0: any free one); answers the port. */
  listen(port: number, host?: string): Promise<number>;
  /** Breaks off what is being answered. */
  close(): Promise<void>;
  /** `http://127.0.0.1:<port>`; its `/v1` is the base URL for clients. */
  url: string;
}

/** An OpenAI-compatible server of scripted models. The same seed and requests get the same replies. */
export function createSimulator({ seed = 1 }: { seed?: number } = {}): Simulator {
  const states = new States();
  const handle = requestHandler(seed, states);
  // Clients keep connections for minutes; the default of 5 s would reset some of them in the middle of a request.
  const server = createServer({ keepAliveTimeout: 120_000, requestTimeout: 0 }, (request, response) => {
    handle(request, response).catch((error: Error) => {
      if (response.destroyed || response.headersSent) return; // The client went away in the middle of its body.
      send(response, errorResponse(500, `The simulator itself failed: ${error.message}`));
    });
  });
  return {
    url: '',
    async listen(port, host = '0.0.0.0') {
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
      const { port: bound } = server.address() as AddressInfo;
      this.url = `http://127.0.0.1:${bound}`;
      return bound;
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function requestHandler(seed: number, states: States) {
  const chat = chatHandler(seed, states);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: target = '/' } = request;
    const text = method === 'GET' ? '' : await receive(request);
    if (text === null) return send(response, errorResponse(413, `The body exceeds ${MAX_BODY_BYTES} bytes.`));
    if (target === '/v1/chat/completions' || target === '/chat/completions') {
      if (method === 'POST') return chat(text, request, response);
      return send(response, errorResponse(405, 'Use POST.'));
    }
    if (method === 'POST' && formatOf(target)) return chat(text, request, response);
    if (target === '/metrics')
      return void response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    send(response, otherRoutes(method, target, text, request, states));
  };
}

function otherRoutes(
  method: string,
  target: string,
  text: string,
  request: IncomingMessage,
  states: States,
): ResponsePlan {
  const url = new URL(target, 'http://simulator');
  const body = text === '' ? undefined : parsed(text);
  if (body === NOT_JSON) return notJson();
  if (url.pathname === '/healthz' || url.pathname === '/readyz') return jsonResponse(200, { status: 'ok' });
  if (url.pathname.startsWith('/control/')) return control(method, url, body, states);
  if (url.pathname === '/redirected') {
    states.redirectsFollowed++;
    return jsonResponse(200, { followed: true });
  }
  if (refusesKey(request)) return inFormat(formatOfHost(url.pathname), wrongKey());
  if (method === 'GET' && url.pathname === '/google/v1beta/models') {
    return jsonResponse(200, {
      models: MODEL_NAMES.map(({ id, about }) => ({
        name: `models/${id}`,
        description: about,
        supportedGenerationMethods: ['generateContent'],
      })),
    });
  }
  if (method === 'GET' && /^(\/v1|\/anthropic\/v1)?\/models$/.test(url.pathname)) {
    const models = [...MODEL_NAMES, { id: EMBEDDING_MODEL, about: 'Hashed words and character trigrams.' }];
    return jsonResponse(200, {
      object: 'list',
      data: models.map(({ id, about }) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'simulator',
        description: about,
      })),
    });
  }
  if (method === 'POST' && /^(\/v1)?\/embeddings$/.test(url.pathname)) return embeddings(body, states);
  return errorResponse(404, `Unknown request URL: ${method} ${url.pathname}.`, 'unknown_url');
}

/** A request as far as it depends on its text alone. */
interface ReadRequest {
  request: ChatRequest;
  model: Model;
  state: ModelState;
  userText: string;
  prompt: string;
  tokens: number;
  well?: CorrectReply;
}

function chatHandler(seed: number, states: States) {
  // Runs ask the same thing again and again (samples, retries, benchmarks): what depends on the text alone is kept
  // by it, from the second time on, so that prompts which never return cost no memory.
  const kept = new Map<string, ReadRequest>();
  const read = (text: string, incoming: IncomingMessage): ReadRequest | ResponsePlan => {
    let body = parsed(text);
    if (body === NOT_JSON) return notJson();
    const spoken = formatOf(incoming.url!);
    try {
      if (spoken) body = spoken.format.read((body ?? {}) as JsonObject, spoken.model, incoming.headers);
      const wrong = problemOf(body as ChatRequest);
      if (wrong) return wrong;
      if (!spoken) refuseNames(body as ChatRequest);
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
    return { request, model, state: states.of(request.model), userText, prompt, tokens: tokensOf(text) };
  };

  return (text: string, incoming: IncomingMessage, response: ServerResponse): void => {
    const spoken = formatOf(incoming.url!);
    const reply = (answer: ResponsePlan, state?: ModelState): void =>
      send(response, spoken ? inFormat(spoken.format, answer) : answer, state);
    if (refusesKey(incoming)) return reply(wrongKey());
    const key = spoken ? `${incoming.url} ${text}` : text;
    let asked = kept.get(key);
    // After a reset the kept request would count for a state that nobody reads any more.
    if (!asked || states.of(asked.request.model) !== asked.state) {
      const fresh = read(text, incoming);
      if ('do' in fresh) return reply(fresh);
      asked = fresh;
    }
    const { request, model, state } = asked;
    const known = asked;
    const nowMs = Date.now();
    const repetition = countRequest(state, asked.prompt, text, nowMs);
    if (repetition > 0 && text.length < 50_000 && !kept.has(key)) {
      if (kept.size >= 2000) kept.clear();
      kept.set(key, asked);
    }
    state.promptTokens += asked.tokens;
    const off = states.offOf(state);
    const answer = off
      ? whileOff(off.status, request.model)
      : respond(
          {
            request,
            number: model.number,
            state,
            userText: asked.userText,
            prompt: asked.prompt,
            promptTokens: asked.tokens,
            repetition,
            nowMs,
            ...chancesOf(seed, request, repetition),
            correctReply: () => (known.well ??= correctReply(request)),
          },
          model,
        );
    reply(answer, state);
  };
}

function problemOf(body: ChatRequest): ResponsePlan | undefined {
  const wrong = (param: string, message: string) => errorResponse(400, message, null, { param });
  if (typeof body !== 'object' || body === null) return errorResponse(400, 'The body must be a JSON object.');
  if (typeof body.model !== 'string') return wrong('model', 'you must provide a model parameter');
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return wrong('messages', "'messages' must be an array of at least one message.");
  const odd = body.messages.findIndex((message) => typeof message?.role !== 'string');
  if (odd >= 0) return wrong(`messages[${odd}].role`, `Missing required parameter: 'messages[${odd}].role'.`);
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

function embeddings(body: unknown, states: States): ResponsePlan {
  const {
    model,
    input,
    dimensions,
    encoding_format: format,
  } = (body ?? {}) as { model?: unknown; input?: unknown; dimensions?: unknown; encoding_format?: unknown };
  const texts = typeof input === 'string' ? [input] : input;
  if (typeof model !== 'string' || !/^(embeddings(:.*)?|text-embedding-.+)$/.test(model))
    return unknownModel(String(model));
  if (!Array.isArray(texts) || texts.length === 0 || !texts.every((text) => typeof text === 'string')) {
    return errorResponse(400, "'input' must be a string or an array of strings.", null, { param: 'input' });
  }
  const size = dimensions ?? EMBEDDING_DIMENSIONS;
  if (!Number.isInteger(size) || Number(size) < 1 || Number(size) > 4096)
    return errorResponse(400, "'dimensions' must be 1 to 4096.", null, { param: 'dimensions' });
  const state = states.of(model);
  state.requests++;
  const tokens = tokensOf(texts.join(''));
  const vectors = (texts as string[]).map((text) => embed(text, Number(size)));
  return jsonResponse(200, {
    object: 'list',
    model,
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: format === 'base64' ? toBase64(vector) : vector,
    })),
    usage: usage(tokens, 0),
  });
}

/** Sends it, now or after its delay, and counts for the model what became of it. */
function send(response: ServerResponse, answer: ResponsePlan, state?: ModelState): void {
  const settle = (as: string) => {
    if (!state) return;
    state.inFlight--;
    state.answers[as] = (state.answers[as] ?? 0) + 1;
    answered.inc({ end: as });
  };
  const abandon = () => {
    if (!state) return;
    state.inFlight--;
    state.abandoned++;
    answered.inc({ end: 'abandoned' });
  };
  switch (answer.do) {
    case 'reset':
      settle('reset');
      response.socket?.resetAndDestroy();
      return;
    case 'half':
      settle('half');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.body.length + 500 });
      response.write(answer.body, () => response.socket?.destroy());
      return;
    case 'hang':
      response.once('close', abandon);
      return;
    case 'send': {
      const { delayMs = 0 } = answer;
      if (delayMs <= 0) {
        settle(String(answer.status));
        write(response, answer);
        return;
      }
      const timer = setTimeout(() => {
        response.off('close', tooLate);
        settle(String(answer.status));
        write(response, answer);
      }, delayMs);
      const tooLate = () => {
        clearTimeout(timer);
        abandon();
      };
      response.once('close', tooLate);
    }
  }
}

function write(response: ServerResponse, { status, headers, body }: ResponsePlan & { do: 'send' }): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** null when it is too long. By events, since iterating a stream costs as much as the rest of a request. */
function receive(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) resolve(null);
      else chunks.push(chunk);
    });
    request.on('end', () => resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')));
    request.on('error', reject);
  });
}

/** Of the raw headers, since making an object of them takes longer than all else that is read. */
const refusesKey = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.some(
    (value, index) =>
      (value === 'Bearer wrong' || value === 'wrong') && KEY_HEADERS.has(rawHeaders[index - 1]?.toLowerCase() ?? ''),
  );
const KEY_HEADERS = new Set(['authorization', 'x-api-key', 'x-goog-api-key']);

const NOT_JSON = Symbol('not JSON');
const notJson = (): ResponsePlan => errorResponse(400, 'We could not parse the JSON body of your request.');

function parsed(text: string): unknown {
  try {
    return readBody(text);
  } catch {
    return NOT_JSON;
  }
}
