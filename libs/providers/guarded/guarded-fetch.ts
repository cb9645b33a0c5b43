import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { isNeverAllowed, isPrivateAddress } from './addresses.js';
import { redactPrivateResponse } from './private-response.js';
import { ResponseTooLarge, ResponseTooSlow, MAX_RESPONSE_BYTES, MAX_ARRIVAL_MS } from './response-limits.js';
import { SMALL_RESPONSE_BYTES, type GuardedRequestInit, type ReplyMemory } from '../reply-memory.js';

export class AddressNotAllowed extends Error {}

/** Why a host may not be connected to at this address; undefined when it may. */
export function addressProblem(host: string, address: string, allowPrivateNetworks: boolean): string | undefined {
  const at = host === address ? host : `${host} is at ${address}, which`;
  if (isNeverAllowed(address))
    return `${at} is a link-local address or one of a cloud's metadata. Those are never asked, whatever is allowed.`;
  if (allowPrivateNetworks || !isPrivateAddress(address)) return undefined;
  return `${at} is a private address. An operator can allow those with TOOLMARK_ALLOW_PRIVATE_NETWORKS=true.`;
}

export interface GuardOptions {
  allowPrivateNetworks: boolean;
  connections?: number;
  /** In place of the system's resolver. */
  resolve?: Resolve;
  /** How long a large answer may take to arrive; a minute. */
  maxArrivalMs?: number;
}
type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Resolves a name and refuses what may not be asked, so that the address that was checked is the one that is
 * connected to.
 */
const guardedLookup =
  ({ allowPrivateNetworks, resolve = dnsLookup }: GuardOptions): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      const refused = addresses
        .map(({ address }) => addressProblem(hostname, address, allowPrivateNetworks))
        .find(Boolean);
      if (refused) return callback(new AddressNotAllowed(refused), '', 0);
      if (options.all) return callback(null, addresses as never, 0);
      callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };

/**
 * A `fetch` that keeps connections alive, follows no redirect, reads no more than `MAX_RESPONSE_BYTES`, and
 * connects to no private address unless that is allowed. Whole answers only. Leaner than the global one, which
 * makes streams for each. A large answer waits, its connection paused, until the item that it is for (`replyMemory`)
 * has room for it. Of an answer other than 2xx that came from a private address there is only what may be told of
 * it.
 */
export function createGuardedFetch(options: GuardOptions): {
  fetch: (url: string | URL | Request, init?: GuardedRequestInit) => Promise<Response>;
  close: () => Promise<void>;
} {
  const { agent, reachedPrivate } = guardedAgent(options);
  const fetch = async (input: string | URL | Request, init: GuardedRequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    assertHostAllowed(url, options);
    const answer = await new Promise<BufferedResponse>((resolve, reject) => {
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: (init.method ?? 'GET') as 'GET',
          headers:
            init.headers instanceof Headers
              ? Object.fromEntries(init.headers)
              : (init.headers as Record<string, string>),
          body: init.body as string | undefined,
        },
        new ResponseCollector(
          {
            url: url.href,
            signal: init.signal ?? undefined,
            room: init.replyMemory,
            longestArrivalMs: options.maxArrivalMs ?? MAX_ARRIVAL_MS,
          },
          resolve,
          reject,
        ),
      );
    });
    return reachedPrivate(url) ? answer.asPrivate() : answer;
  };
  return { fetch, close: () => agent.close() };
}

/** Whether an answer came from a private address, and so may be quoted to nobody unless it is a model's reply. */
export const isFromPrivateAddress = (answer: Response): boolean =>
  answer instanceof BufferedResponse && answer.isPrivate;

/**
 * Connections that are refused to addresses that may not be asked, when the name has been resolved.
 * `reachedPrivate` says of a URL that was asked whether one led to a private address: the connection's own,
 * whatever the name looks like.
 */
export function guardedAgent(options: GuardOptions): { agent: Agent; reachedPrivate: (url: URL) => boolean } {
  const connect = buildConnector({ timeout: 10_000, lookup: guardedLookup(options) });
  const privateHosts = new Set<string>();
  const agent = new Agent({
    connections: options.connections ?? 1024,
    keepAliveTimeout: 20_000,
    headersTimeout: 0, // the caller's signal ends a request that takes too long
    bodyTimeout: 0,
    connect: (target, done) =>
      connect(target, (...made) => {
        const [error, socket] = made;
        if (!error && (!socket.remoteAddress || isPrivateAddress(socket.remoteAddress)))
          privateHosts.add(target.hostname);
        done(...made);
      }),
  });
  return { agent, reachedPrivate: (url) => privateHosts.has(hostOf(url)) };
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** An address in place of a name is resolved by nobody. @throws AddressNotAllowed */
export function assertHostAllowed(url: URL, { allowPrivateNetworks }: GuardOptions): void {
  const refused = addressProblem(hostOf(url), hostOf(url), allowPrivateNetworks);
  if (refused) throw new AddressNotAllowed(refused);
}

/** Collects an answer as it arrives. */
class ResponseCollector implements Dispatcher.DispatchHandler {
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;
  #abort = (): void => {};
  #late: NodeJS.Timeout | undefined;

  constructor(
    readonly of: {
      url: string;
      signal: AbortSignal | undefined;
      room: ReplyMemory | undefined;
      longestArrivalMs: number;
    },
    readonly resolve: (answer: BufferedResponse) => void,
    readonly reject: (error: Error) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal } = this.of;
    if (!signal) return;
    this.#abort = () => controller.abort(signal.reason as Error);
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    [this.#status, this.#headers] = [status, headers];
    if (Number(headers['content-length'] ?? 0) > MAX_RESPONSE_BYTES) controller.abort(tooLarge());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const before = this.#size;
    this.#size += chunk.length;
    if (this.#size > MAX_RESPONSE_BYTES) return controller.abort(tooLarge());
    this.#chunks.push(chunk);
    const { room } = this.of;
    if (!room || this.#size <= SMALL_RESPONSE_BYTES) return;
    try {
      room.recordArrival(this.#size);
      if (before <= SMALL_RESPONSE_BYTES) this.#makeRoom(controller, room);
    } catch (error) {
      controller.abort(error as Error);
    }
  }

  #makeRoom(controller: Dispatcher.DispatchController, room: ReplyMemory): void {
    const said = Number(this.#headers['content-length']);
    const waiting = room.reserve(said > 0 ? said : undefined);
    if (!waiting) return this.#hurry(controller);
    controller.pause();
    void waiting.then(() => {
      this.#hurry(controller);
      controller.resume();
    });
  }

  /** The room that it holds is others' too: whoever trickles gives it back. */
  #hurry(controller: Dispatcher.DispatchController): void {
    const { longestArrivalMs } = this.of;
    const late = new ResponseTooSlow(
      `The provider's answer is larger than ${SMALL_RESPONSE_BYTES / 1024} KiB and did not arrive within ` +
        `${longestArrivalMs / 1000} s.`,
    );
    this.#late = setTimeout(() => controller.abort(late), longestArrivalMs);
  }

  #done(): void {
    clearTimeout(this.#late);
    this.of.signal?.removeEventListener('abort', this.#abort);
  }

  onResponseEnd(): void {
    this.#done();
    this.resolve(
      new BufferedResponse(this.of.url, this.#status, this.#headers, Buffer.concat(this.#chunks, this.#size)),
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#done();
    this.reject(error);
  }
}

const tooLarge = (): ResponseTooLarge =>
  new ResponseTooLarge(`The provider's answer is larger than ${MAX_RESPONSE_BYTES / 2 ** 20} MiB.`);

/** A `Response` whose bytes are all here: what most callers want of it is had without a stream. */
class BufferedResponse implements Response {
  readonly type = 'default';
  readonly redirected = false;
  readonly statusText = '';
  bodyUsed = false;
  #headers: Headers | undefined;
  #whole: Response | undefined;

  constructor(
    readonly url: string,
    readonly status: number,
    readonly received: IncomingHttpHeaders,
    readonly content: Buffer,
    readonly isPrivate = false,
  ) {}

  /** The same, as it may be used when it came from a private address. */
  asPrivate(): BufferedResponse {
    if (this.ok) return new BufferedResponse(this.url, this.status, this.received, this.content, true);
    const { 'content-length': _length, 'content-type': type, ...others } = this.received;
    const told = JSON.stringify(redactPrivateResponse(this.content.toString('utf8'), type));
    return new BufferedResponse(
      this.url,
      this.status,
      { ...others, 'content-type': 'application/json' },
      Buffer.from(told),
      true,
    );
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Headers {
    return (this.#headers ??= new Headers(
      Object.entries(this.received).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one]),
      ),
    ));
  }

  async text(): Promise<string> {
    this.bodyUsed = true;
    // As a stream would be read: what is no UTF-8 is replaced, and a byte order mark is no text.
    return this.content[0] === 0xef && this.content[1] === 0xbb && this.content[2] === 0xbf
      ? this.content.toString('utf8', 3)
      : this.content.toString('utf8');
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown;
  }

  get body(): Response['body'] {
    return this.#real.body;
  }
  arrayBuffer = (): ReturnType<Response['arrayBuffer']> => this.#real.arrayBuffer();
  blob = (): ReturnType<Response['blob']> => this.#real.blob();
  bytes = (): ReturnType<Response['bytes']> => this.#real.bytes();
  formData = (): ReturnType<Response['formData']> => this.#real.formData();
  clone = (): Response => new BufferedResponse(this.url, this.status, this.received, this.content, this.isPrivate);

  get #real(): Response {
    const bodyless = this.status === 204 || this.status === 304;
    return (this.#whole ??= new Response(bodyless ? null : new Uint8Array(this.content), {
      status: this.status,
      headers: this.headers,
    }));
  }
}
