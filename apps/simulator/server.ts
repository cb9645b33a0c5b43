import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { registry } from '#lib/runtime/metrics';
import { ChatHandler } from './chat-handler.js';
import { control, States, unknownModel } from './control.js';
import { errorResponse, jsonResponse, tokensOf, type ResponsePlan } from './formats/chat-completions.js';
import { formatOf, formatOfHost, inFormat } from './formats/formats.js';
import { passGateway } from './gateway.js';
import { embed, EMBEDDING_DIMENSIONS, toBase64 } from './models/embeddings.js';
import { MODEL_NAMES, wrongKey } from './models/models.js';
import { NOT_JSON, notJson, tryReadBody } from './read-body.js';
import { sendResponse } from './send-response.js';
import { hasWrongKey } from './wrong-key.js';

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const EMBEDDING_MODEL = 'embeddings';

export interface Simulator {
  /** Listens on a port (0: any free one); on localhost only, without `host`. Returns the port. */
  listen(port: number, host?: string): Promise<number>;
  /** Stops listening and aborts open requests. */
  close(): Promise<void>;
  /** `http://127.0.0.1:<port>`; its `/v1` is the base URL for clients. */
  url: string;
}

/** An OpenAI-compatible server of scripted models. The same seed and the same requests produce the same replies. */
export function createSimulator({ seed = 1 }: { seed?: number } = {}): Simulator {
  const states = new States();
  const handle = requestHandler(seed, states);
  // Clients keep connections open for minutes. The default of 5 s would reset some in the middle of a request.
  const server = createServer({ keepAliveTimeout: 120_000, requestTimeout: 0 }, (request, response) => {
    handle(request, response).catch((error: Error) => {
      if (response.destroyed || response.headersSent) return; // The client disconnected while it sent its body.
      sendResponse(response, errorResponse(500, `The simulator itself failed: ${error.message}`));
    });
  });
  return {
    url: '',
    async listen(port, host = '127.0.0.1') {
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
  const chat = new ChatHandler(seed, states);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET' } = request;
    const text = method === 'GET' ? '' : await receive(request);
    if (text === null) return sendResponse(response, errorResponse(413, `The body exceeds ${MAX_BODY_BYTES} bytes.`));
    const refused = passGateway(request);
    if (refused) return sendResponse(response, refused);
    const { url: target = '/' } = request;
    if (target === '/v1/chat/completions' || target === '/chat/completions') {
      if (method === 'POST') return chat.handle(text, request, response);
      return sendResponse(response, errorResponse(405, 'Use POST.'));
    }
    if (method === 'POST' && formatOf(target)) return chat.handle(text, request, response);
    if (target === '/metrics')
      return void response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
    sendResponse(response, otherRoute(method, target, text, request, states));
  };
}

function otherRoute(
  method: string,
  target: string,
  text: string,
  request: IncomingMessage,
  states: States,
): ResponsePlan {
  const url = new URL(target, 'http://simulator');
  const body = text === '' ? undefined : tryReadBody(text);
  if (body === NOT_JSON) return notJson();
  if (url.pathname === '/healthz' || url.pathname === '/readyz') return jsonResponse(200, { status: 'ok' });
  if (url.pathname.startsWith('/control/')) return control(method, url, body, states);
  if (url.pathname === '/redirected') {
    states.redirectsFollowed++;
    return jsonResponse(200, { followed: true });
  }
  if (hasWrongKey(request)) return inFormat(formatOfHost(url.pathname), wrongKey());
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
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

/**
 * Reads the body. Listens to events, since iterating a stream costs as much as the rest of a request.
 * @returns null if the body is too large
 */
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
