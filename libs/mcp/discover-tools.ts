import {
  Client,
  ProtocolError,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { McpDiscoverInput, McpServer } from '#lib/contracts/mcp';
import { jsonPointer, ProblemError } from '#lib/contracts/input/problem';
import { findUnstorable } from '#lib/contracts/json/storable';
import { isUntrusted } from '#lib/egress/authorities';
import type { EgressSettings } from '#lib/egress/egress';
import { AddressNotAllowed } from '#lib/egress/policy';
import { ProxyProblem } from '#lib/egress/proxy';
import { ResponseTooLarge } from '#lib/providers/guarded/response-limits';
import { createGuardedStream, type StreamBounds } from '#lib/providers/guarded/guarded-stream';
import { readListedTools, type ListedTools } from './read-listed-tools.js';

const MAX_PAGES = 200;
const MAX_LISTED_TOOLS = 5000;
/** Four times the limits for the tools of a suite. */
const BOUNDS: StreamBounds = { bytes: 4 * 2 ** 20, values: 200_000, lines: 20_000 };
const WAY_OUT = 'Let the server list fewer or smaller tools, or paste the list of tools instead.';

/** The SDK's own schema rejects a whole page because of one invalid tool. */
const ToolsPage = z.looseObject({ tools: z.unknown().optional(), nextCursor: z.unknown().optional() });

/** Reads a page of tools. Some servers list null instead of an empty list. */
function readPage({ tools, nextCursor }: z.infer<typeof ToolsPage>): { tools: unknown[]; nextCursor?: string } {
  const listed = tools === null ? [] : tools;
  if (!Array.isArray(listed) || !['string', 'undefined'].includes(typeof (nextCursor ?? undefined)))
    throw new ProblemError(
      422,
      'The answer of the server to tools/list does not follow MCP: "tools" must be a list, and "nextCursor" a string.',
    );
  return { tools: listed, nextCursor: (nextCursor as string | null) ?? undefined };
}

export interface DiscoverTask {
  server: McpDiscoverInput;
  options: { egress: EgressSettings; timeoutMs: number };
}

export interface DiscoveredServer extends ListedTools {
  server: McpServer;
}

type Kind = McpServer['transport'];

/**
 * Connects to an MCP server, negotiates a version and lists all pages of its tools.
 * @throws ProblemError 422 that explains the problem of the server at `url`
 */
export async function discoverTools(
  { url, headers, transport }: McpDiscoverInput,
  options: DiscoverTask['options'],
): Promise<DiscoveredServer> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const { fetch, signal, reachedPrivate, close } = createGuardedStream({
    egress: options.egress,
    signal: deadline,
    bounds: BOUNDS,
  });
  const attempt = (kind: Kind): Promise<DiscoveredServer> => askBy(kind, new URL(url), headers, fetch, signal);
  try {
    if (transport !== 'auto') return await attempt(transport);
    try {
      return await attempt('streamable-http');
    } catch (error) {
      // A server with the older transport rejects the first request. After other errors, a second attempt would fail in
      // the same way.
      if (!refusedPost(error)) throw error;
      return await attempt('sse').catch((second: unknown) => {
        throw causeOf(second, AddressNotAllowed) ? second : error;
      });
    }
  } catch (error) {
    throw explained(error, url, {
      expiredMs: deadline.aborted ? options.timeoutMs : undefined,
      isPrivate: reachedPrivate(),
    });
  } finally {
    void close();
  }
}

const refusedPost = (error: unknown): boolean =>
  SdkHttpError.isInstance(error) &&
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 401 &&
  error.status !== 403;

async function askBy(
  kind: Kind,
  url: URL,
  headers: Record<string, string>,
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>,
  signal: AbortSignal,
): Promise<DiscoveredServer> {
  const settings = { fetch, requestInit: { headers } };
  const channel: Transport =
    kind === 'sse' ? new SSEClientTransport(url, settings) : new StreamableHTTPClientTransport(url, settings);
  const client = new Client(
    { name: 'toolmark', version: '1' },
    kind === 'streamable-http' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  // A stream may break after the answer has arrived. Without a handler, nothing receives that error.
  client.onerror = () => {};
  try {
    await within(signal, client.connect(channel, { signal }));
    const listed = client.getServerCapabilities()?.tools ? await listTools(client, signal) : [];
    const { name, version } = client.getServerVersion() ?? { name: url.host, version: '' };
    const protocolVersion = client.getNegotiatedProtocolVersion() ?? null;
    const server: McpServer = {
      name,
      version,
      protocol_version: protocolVersion,
      transport: kind,
      instructions: client.getInstructions() ?? null,
    };
    const bad = findUnstorable({ server });
    if (bad)
      throw new ProblemError(422, `The description of the server cannot be used: ${jsonPointer(bad.path)} ${bad.why}`);
    return { server, ...readListedTools(listed) };
  } finally {
    // Closing the client does nothing before both sides have agreed on a version.
    await channel.close().catch(() => {});
  }
}

/** All pages of the list. A server that repeats its last page has also reached the end. */
async function listTools(client: Client, signal: AbortSignal): Promise<unknown[]> {
  const listed: unknown[] = [];
  let cursor: string | undefined;
  let before = '';
  for (let pages = 0; pages < MAX_PAGES && listed.length <= MAX_LISTED_TOOLS; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await within(signal, client.request({ method: 'tools/list', params }, ToolsPage, { signal }));
    const { tools, nextCursor } = readPage(page);
    const text = JSON.stringify(tools);
    if (nextCursor && nextCursor === cursor && text === before) return listed;
    listed.push(...tools);
    before = text;
    cursor = nextCursor;
    if (!cursor && listed.length <= MAX_LISTED_TOOLS) return listed;
  }
  throw new ProblemError(422, `The server lists more than ${MAX_LISTED_TOOLS} tools, or endless pages. ${WAY_OUT}`);
}

/** The SDK keeps waiting for some promises after an abort. */
function within<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function causeOf<Kind extends Error>(error: unknown, kind: abstract new (...args: never[]) => Kind): Kind | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = (one as { cause?: unknown }).cause, depth++)
    if (one instanceof kind) return one;
  return undefined;
}

/** The older transport reports the status only in its message. */
function statusIn(error: unknown): number | undefined {
  if (SdkHttpError.isInstance(error)) return error.status;
  const [, status] = /\bstatus code \((\d{3})\)/.exec((error as Error).message) ?? [];
  return status === undefined ? undefined : Number(status);
}

function explained(
  error: unknown,
  url: string,
  { expiredMs, isPrivate }: { expiredMs: number | undefined; isPrivate: boolean },
): unknown {
  if (error instanceof ProblemError) return error;
  const fail = (detail: string): ProblemError => new ProblemError(422, detail, [{ path: '/url', message: detail }]);
  const { host } = new URL(url);
  const refused = causeOf(error, AddressNotAllowed) ?? causeOf(error, ProxyProblem);
  if (refused) return fail(refused.message);
  const tooLarge = causeOf(error, ResponseTooLarge);
  if (tooLarge) return fail(`${tooLarge.message} ${WAY_OUT}`);
  if (expiredMs !== undefined)
    return fail(`${host} did not answer as an MCP server within ${expiredMs / 1000} seconds.`);
  const status = statusIn(error);
  if (status === 401 || status === 403)
    return fail(
      `${host} answered ${status}: it needs a valid token. Give it in "headers" with each ` +
        'request, such as {"Authorization": "Bearer ..."}: it is not kept.',
    );
  const innermost = (one: Error): Error => (one.cause instanceof Error ? innermost(one.cause) : one);
  const { message, code } = innermost(error as Error) as Error & { code?: string };
  if (isUntrusted(code))
    return fail(
      `${host} has a certificate that cannot be trusted (${code}). Fix it, or add its authority with ` +
        'TOOLMARK_EXTRA_CA.',
    );
  const said = message || code || 'no reason given';
  // Responses from a private address are meant for internal machines. The user who chose the URL sees only MCP's own
  // error messages, and nothing else of the response.
  const known = ProtocolError.isInstance(innermost(error as Error)) || CONNECTION_ERROR_CODES.test(String(code));
  const quote = !isPrivate
    ? shortenMessage(said)
    : known
      ? said.slice(0, 300)
      : `it answered ${status ?? 'something else'}; the reply is not shown because it comes from a private ` +
        'address. Is the path right? Most end in /mcp or /sse.';
  return fail(`${host} does not answer as an MCP server: ${quote}`);
}

/** A server's message, shortened. A web page is replaced by a hint. */
export const shortenMessage = (said: string): string =>
  /<(!doctype|html)|text\/html/i.test(said)
    ? 'found a web page; the endpoint is usually /sse or /mcp.'
    : said.slice(0, 500);

/** Codes of connection errors from Node and undici. Their messages contain nothing of the response. */
const CONNECTION_ERROR_CODES =
  /^(E[A-Z]+|UND_ERR_\w+|HPE_\w+|ERR_(TLS|SSL)_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+)$/;
