import { Readable, Transform } from 'node:stream';
import { request } from 'undici';
import { guardedAgent, assertHostAllowed, type GuardOptions } from './guarded-fetch.js';
import { ResponseTooLarge, MAX_RESPONSE_BYTES } from './response-limits.js';

/**
 * Like `createGuardedFetch`, for responses that arrive piece by piece: the body is a stream of at most
 * `MAX_RESPONSE_BYTES`. `signal` aborts all requests. `reachedPrivate` says whether any response came from a private
 * address.
 */
export function createGuardedStream(options: GuardOptions & { signal: AbortSignal }): {
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  reachedPrivate: () => boolean;
  close: () => Promise<void>;
} {
  const { agent, reachedPrivate } = guardedAgent({ ...options, connections: 8 });
  const requested: URL[] = [];
  const fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    assertHostAllowed(url, options);
    requested.push(url);
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      method: (init.method ?? 'GET') as 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: init.body as string | undefined,
      signal: init.signal ? AbortSignal.any([init.signal, options.signal]) : options.signal,
    });
    const pairs = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((text): [string, string] => [name, text]),
    );
    if (statusCode === 204 || statusCode === 205 || statusCode === 304) {
      await body.dump();
      return new Response(null, { status: statusCode, headers: pairs });
    }
    return new Response(Readable.toWeb(limitBytes(MAX_RESPONSE_BYTES, body)) as ReadableStream, {
      status: statusCode,
      headers: pairs,
    });
  };
  return { fetch, reachedPrivate: () => requested.some(reachedPrivate), close: () => agent.destroy() };
}

function limitBytes(bytes: number, source: Readable): Readable {
  let size = 0;
  const gate = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > bytes) done(new ResponseTooLarge(`The answer is larger than ${bytes / 2 ** 20} MiB.`));
      else done(null, chunk);
    },
  });
  source.on('error', (error) => gate.destroy(error));
  gate.on('close', () => source.destroy());
  return source.pipe(gate);
}
