import { Readable, Transform } from 'node:stream';
import { countMarks } from '#lib/contracts/json/count-values';
import { GuardedAgent, type AgentOptions } from '#lib/egress/guarded-agent';
import { ResponseTooLarge } from './response-limits.js';

/** Limits for all responses together, before any of them is parsed. */
export interface StreamBounds {
  bytes: number;
  /** In JSON: commas and opening brackets. */
  values: number;
  /** In event streams. */
  lines: number;
}

/**
 * Like `createGuardedFetch`, for responses that arrive in chunks: each body is a stream, and all of them together stay
 * within `bounds`. The returned `signal` aborts when the given one does, and with `ResponseTooLarge` when a bound is
 * exceeded; it ends all requests. `reachedPrivate` says whether any response came from a private address.
 */
export function createGuardedStream(options: AgentOptions & { signal: AbortSignal; bounds: StreamBounds }): {
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  signal: AbortSignal;
  reachedPrivate: () => boolean;
  close: () => Promise<void>;
} {
  const agent = new GuardedAgent({ ...options, connections: 8 });
  const exceeded = new AbortController();
  const signal = AbortSignal.any([options.signal, exceeded.signal]);
  const count = countWithin(options.bounds);
  const hosts = new Map<string, URL>();
  const fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    const {
      dispatcher,
      options: request,
      checkStatus,
    } = await agent.prepare(url, {
      method: init.method,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body as string | undefined,
    });
    hosts.set(url.host, url);
    const { statusCode, headers, body } = await dispatcher.request({
      ...request,
      signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal,
    });
    try {
      checkStatus(statusCode);
    } catch (error) {
      void body.dump().catch(() => {});
      throw error;
    }
    const pairs = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((text): [string, string] => [name, text]),
    );
    if (statusCode === 204 || statusCode === 205 || statusCode === 304) {
      await body.dump();
      return new Response(null, { status: statusCode, headers: pairs });
    }
    const isEvents = String(headers['content-type']).includes('event-stream');
    const bounded = whileWithin(body, (chunk) => {
      const tooLarge = count(chunk, isEvents);
      if (tooLarge) exceeded.abort(tooLarge);
      return tooLarge;
    });
    return new Response(Readable.toWeb(bounded) as ReadableStream, { status: statusCode, headers: pairs });
  };
  const hasReachedPrivate = (): boolean => [...hosts.values()].some((url) => agent.reachedPrivate(url));
  return { fetch, signal, reachedPrivate: hasReachedPrivate, close: () => agent.destroy() };
}

/** Counts arriving data. Returns an error as soon as a bound is exceeded. */
function countWithin(most: StreamBounds): (chunk: Uint8Array, isEvents: boolean) => ResponseTooLarge | undefined {
  const [all, of] = ["The server's answers", 'together'];
  let [bytes, values, lines] = [0, 0, 0];
  return (chunk, isEvents) => {
    bytes += chunk.length;
    if (bytes > most.bytes) return new ResponseTooLarge(`${all} are larger than ${most.bytes / 2 ** 20} MiB ${of}.`);
    values += countMarks(chunk);
    if (values > most.values) return new ResponseTooLarge(`${all} have more than ${most.values} values ${of}.`);
    if (isEvents) lines += countLines(chunk);
    if (lines > most.lines) return new ResponseTooLarge(`${all} have more than ${most.lines} lines of events ${of}.`);
    return undefined;
  };
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];
const countLines = (chunk: Uint8Array): number =>
  chunk.reduce((lines, byte) => lines + Number(byte === LINE_FEED || byte === CARRIAGE_RETURN), 0);

/** @param problemOf returns the error for the next chunk, or for all chunks so far */
function whileWithin(source: Readable, problemOf: (chunk: Buffer) => Error | undefined): Readable {
  const gate = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const problem = problemOf(chunk);
      if (problem) done(problem);
      else done(null, chunk);
    },
  });
  source.on('error', (error) => gate.destroy(error));
  gate.on('close', () => source.destroy());
  return source.pipe(gate);
}
