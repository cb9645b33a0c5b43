import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import { AnswerTooLarge, LARGEST_REPLY_BYTES } from './guarded-size.js';
import { FREE_BYTES, type HeldInit, type ReplyBytes } from './reply-bytes.js';

export class AddressRefused extends Error {}

const privateRanges = new BlockList();
for (const [address, prefix] of [['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['224.0.0.0', 3]] as const) privateRanges.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of [['::', 128], ['::1', 128], ['64:ff9b::', 96], ['64:ff9b:1::', 48], ['fc00::', 7], ['fe80::', 10], ['ff00::', 8]] as const)
  privateRanges.addSubnet(address, prefix, 'ipv6');

/** Private, loopback, link-local (cloud metadata among them), multicast and unspecified addresses, IPv4 in IPv6 included. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 6) {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
    return mapped ? isPrivateAddress(mapped[1]!) : privateRanges.check(address, 'ipv6');
  }
  return family === 4 && privateRanges.check(address, 'ipv4');
}

const refusal = (host: string, address: string): AddressRefused =>
  new AddressRefused(`${host} is at ${address}, which is a private address. An operator can allow those with TOOLMARK_ALLOW_PRIVATE_NETWORKS=true.`);

/** Resolves a name and refuses private addresses, so that the address that was checked is the one that is connected to. */
const guardedLookup: LookupFunction = (hostname, options, callback) => {
  dnsLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const bad = addresses?.find(({ address }) => isPrivateAddress(address));
    if (error) return callback(error, '', 0);
    if (bad) return callback(refusal(hostname, bad.address), '', 0);
    if (options.all) return callback(null, addresses as never, 0);
    callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

/**
 * A `fetch` that keeps connections alive, follows no redirect, reads no more than `LARGEST_REPLY_BYTES`, and connects to no
 * private address unless that is allowed. Whole answers only. Leaner than the global one, which makes streams for each. A large
 * answer waits, its connection paused, until the item that it is for (`replyBytes`) has room for it.
 */
export function createGuardedFetch(options: { allowPrivateNetworks: boolean; connections?: number }): {
  fetch: (url: string | URL | Request, init?: HeldInit) => Promise<Response>;
  close: () => Promise<void>;
} {
  const agent = guardedAgent(options);
  const fetch = async (input: string | URL | Request, init: HeldInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!options.allowPrivateNetworks) refusePrivateHost(url);
    return new Promise<Response>((resolve, reject) => {
      agent.dispatch(
        {
          origin: url.origin, path: url.pathname + url.search, method: (init.method ?? 'GET') as 'GET',
          headers: init.headers instanceof Headers ? Object.fromEntries(init.headers) : (init.headers as Record<string, string>), body: init.body as string | undefined,
        },
        new WholeAnswer(url.href, init.signal ?? undefined, init.replyBytes, resolve, reject),
      );
    });
  };
  return { fetch, close: () => agent.close() };
}

/** Connections that are refused to private addresses, unless those are allowed, when the name has been resolved. */
export const guardedAgent = (options: { allowPrivateNetworks: boolean; connections?: number }): Agent =>
  new Agent({
    connections: options.connections ?? 1024,
    keepAliveTimeout: 20_000,
    headersTimeout: 0, // the caller's signal ends a request that takes too long
    bodyTimeout: 0,
    connect: { timeout: 10_000, ...(!options.allowPrivateNetworks && { lookup: guardedLookup }) },
  });

/** An address in place of a name is resolved by nobody. @throws AddressRefused */
export function refusePrivateHost(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isPrivateAddress(host)) throw refusal(host, host);
}

/** Collects an answer as it arrives. */
class WholeAnswer implements Dispatcher.DispatchHandler {
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;
  #abort = (): void => {};

  constructor(
    readonly url: string, readonly signal: AbortSignal | undefined, readonly room: ReplyBytes | undefined, readonly resolve: (answer: Response) => void,
    readonly reject: (error: Error) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { signal } = this;
    if (!signal) return;
    this.#abort = () => controller.abort(signal.reason as Error);
    if (signal.aborted) this.#abort();
    else signal.addEventListener('abort', this.#abort);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    [this.#status, this.#headers] = [status, headers];
    if (Number(headers['content-length'] ?? 0) > LARGEST_REPLY_BYTES) controller.abort(tooLarge());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const before = this.#size;
    this.#size += chunk.length;
    if (this.#size > LARGEST_REPLY_BYTES) return controller.abort(tooLarge());
    this.#chunks.push(chunk);
    if (!this.room || this.#size <= FREE_BYTES) return;
    try {
      this.room.arrived(this.#size);
      if (before <= FREE_BYTES) this.#makeRoom(controller, this.room);
    } catch (error) {
      controller.abort(error as Error);
    }
  }

  #makeRoom(controller: Dispatcher.DispatchController, room: ReplyBytes): void {
    const said = Number(this.#headers['content-length']);
    const waiting = room.makeRoom(said > 0 ? said : undefined);
    if (!waiting) return;
    controller.pause();
    void waiting.then(() => controller.resume());
  }

  onResponseEnd(): void {
    this.signal?.removeEventListener('abort', this.#abort);
    this.resolve(new PlainResponse(this.url, this.#status, this.#headers, Buffer.concat(this.#chunks, this.#size)));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.signal?.removeEventListener('abort', this.#abort);
    this.reject(error);
  }
}

const tooLarge = (): AnswerTooLarge => new AnswerTooLarge(`The provider's answer is larger than ${LARGEST_REPLY_BYTES / 2 ** 20} MiB.`);

/** A `Response` whose bytes are all here: what most callers want of it is had without a stream. */
class PlainResponse implements Response {
  readonly type = 'default';
  readonly redirected = false;
  readonly statusText = '';
  bodyUsed = false;
  #headers: Headers | undefined;
  #whole: Response | undefined;

  constructor(readonly url: string, readonly status: number, readonly received: IncomingHttpHeaders, readonly content: Buffer) {}

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get headers(): Headers {
    return (this.#headers ??= new Headers(
      Object.entries(this.received).flatMap(([name, value]) => (Array.isArray(value) ? value : [value ?? '']).map((one): [string, string] => [name, one])),
    ));
  }

  async text(): Promise<string> {
    this.bodyUsed = true;
    // As a stream would be read: what is no UTF-8 is replaced, and a byte order mark is no text.
    return this.content[0] === 0xef && this.content[1] === 0xbb && this.content[2] === 0xbf ? this.content.toString('utf8', 3) : this.content.toString('utf8');
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
  clone = (): Response => new PlainResponse(this.url, this.status, this.received, this.content);

  get #real(): Response {
    const bodyless = this.status === 204 || this.status === 304;
    return (this.#whole ??= new Response(bodyless ? null : new Uint8Array(this.content), { status: this.status, headers: this.headers }));
  }
}
