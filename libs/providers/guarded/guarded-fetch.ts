import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { GuardedAgent, type AgentOptions } from '#lib/egress/guarded-agent';
import { maskBody } from './mask-keys.js';
import { redactPrivateResponse } from './private-response.js';
import {
  ResponseTooLarge,
  ResponseTooSlow,
  MAX_ARRIVAL_MS,
  MAX_ERROR_BYTES,
  MAX_RESPONSE_BYTES,
} from './response-limits.js';
import { SMALL_RESPONSE_BYTES, type GuardedRequestInit, type ReplyMemory } from './reply-memory.js';

export interface GuardOptions extends AgentOptions {
  /** Time limit for the arrival of a large response. Default: a minute. */
  maxArrivalMs?: number;
  /** Maximum size of a 2xx response. Default: `MAX_RESPONSE_BYTES`. */
  maxBytes?: number;
  /** Whether errors of private addresses are redacted. Default: yes, unless the operator chose all hosts. */
  redactsPrivate?: boolean;
}

/**
 * A `fetch` that keeps connections alive, does not follow redirects, reads at most `MAX_RESPONSE_BYTES`, and connects
 * to a private address only if that is allowed. It collects whole responses. Node's own `fetch` was tried: it creates
 * streams for each response. Without it, and with Redis commands written together, a worker takes 0.85 times the CPU
 * (docs/decisions/speed.md). A large response waits, with its connection paused, until its item has memory for it
 * (`replyMemory`). Of a response other than 2xx only `MAX_ERROR_BYTES` are read, and it is redacted if it comes from
 * a private address.
 */
export function createGuardedFetch(options: GuardOptions): {
  fetch: (url: string | URL | Request, init?: GuardedRequestInit) => Promise<Response>;
  close: () => Promise<void>;
} {
  const agent = new GuardedAgent(options);
  const fetch = async (input: string | URL | Request, init: GuardedRequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = init.headers instanceof Headers ? Object.fromEntries(init.headers) : init.headers;
    const {
      dispatcher,
      options: request,
      checkStatus,
    } = await agent.prepare(
      url,
      { method: init.method, headers: headers as Record<string, string>, body: init.body as string | undefined },
      init.clientCertificate,
    );
    const response = await new Promise<BufferedResponse>((resolve, reject) => {
      dispatcher.dispatch(
        request,
        new ResponseCollector(
          {
            url: url.href,
            signal: init.signal ?? undefined,
            memory: init.replyMemory,
            secrets: init.secrets ?? [],
            maxArrivalMs: options.maxArrivalMs ?? MAX_ARRIVAL_MS,
            maxBytes: options.maxBytes ?? MAX_RESPONSE_BYTES,
          },
          resolve,
          reject,
        ),
      );
    });
    checkStatus(response.status);
    return options.redactsPrivate !== false && agent.reachedPrivate(url)
      ? response.asPrivate(isForPortkey(request))
      : response;
  };
  return { fetch, close: () => agent.close() };
}

const isForPortkey = ({ headers }: Dispatcher.DispatchOptions): boolean =>
  Object.keys(headers ?? {}).some((name) => /^x-portkey-/i.test(name));

/** Whether a response came from a private address. Users may then see nothing of it except a model's reply. */
export const isFromPrivateAddress = (response: Response): boolean =>
  response instanceof BufferedResponse && response.isPrivate;

/** Collects a response as it arrives. */
class ResponseCollector implements Dispatcher.DispatchHandler {
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;
  #abort = (): void => {};
  #arrivalTimer: NodeJS.Timeout | undefined;

  constructor(
    readonly of: {
      url: string;
      signal: AbortSignal | undefined;
      memory: ReplyMemory | undefined;
      secrets: readonly string[];
      maxArrivalMs: number;
      maxBytes: number;
    },
    readonly resolve: (response: BufferedResponse) => void,
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
    if (isOk(status) && Number(headers['content-length'] ?? 0) > this.of.maxBytes) controller.abort(this.#tooLarge());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!isOk(this.#status)) return this.#keepOfError(controller, chunk);
    const before = this.#size;
    this.#size += chunk.length;
    if (this.#size > this.of.maxBytes) return controller.abort(this.#tooLarge());
    this.#chunks.push(chunk);
    const { memory } = this.of;
    if (!memory || this.#size <= SMALL_RESPONSE_BYTES) return;
    try {
      memory.recordArrival(this.#size);
      if (before <= SMALL_RESPONSE_BYTES) this.#reserveMemory(controller, memory);
    } catch (error) {
      controller.abort(error as Error);
    }
  }

  #tooLarge(): ResponseTooLarge {
    return new ResponseTooLarge(`The provider's answer is larger than ${this.of.maxBytes / 2 ** 20} MiB.`);
  }

  /** The message of an error is at its start. The rest is not read, so its connection is not reused. */
  #keepOfError(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const kept = chunk.subarray(0, MAX_ERROR_BYTES - this.#size);
    this.#chunks.push(kept);
    this.#size += kept.length;
    if (kept.length === chunk.length) return;
    this.onResponseEnd();
    controller.abort(new ResponseTooLarge('The rest of an error is not read.'));
  }

  #reserveMemory(controller: Dispatcher.DispatchController, memory: ReplyMemory): void {
    const length = Number(this.#headers['content-length']);
    const waiting = memory.reserve(length > 0 ? length : undefined);
    if (!waiting) return this.#limitArrival(controller);
    controller.pause();
    void waiting.then(() => {
      this.#limitArrival(controller);
      controller.resume();
    });
  }

  /** Other items wait for the memory that it holds, so a response that trickles in is aborted. */
  #limitArrival(controller: Dispatcher.DispatchController): void {
    const { maxArrivalMs } = this.of;
    const tooSlow = new ResponseTooSlow(
      `The provider's answer is larger than ${SMALL_RESPONSE_BYTES / 1024} KiB and did not arrive within ` +
        `${maxArrivalMs / 1000} s.`,
    );
    this.#arrivalTimer = setTimeout(() => controller.abort(tooSlow), maxArrivalMs);
  }

  #done(): void {
    clearTimeout(this.#arrivalTimer);
    this.of.signal?.removeEventListener('abort', this.#abort);
  }

  onResponseEnd(): void {
    this.#done();
    const body = Buffer.concat(this.#chunks, this.#size);
    const content = isOk(this.#status) ? body : maskBody(body, this.of.secrets);
    this.resolve(new BufferedResponse(this.of.url, this.#status, this.#headers, content));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#done();
    this.reject(error);
  }
}

const isOk = (status: number): boolean => status >= 200 && status < 300;

/** A `Response` whose bytes have all arrived. Most callers need only its text, which needs no stream. */
class BufferedResponse implements Response {
  readonly type = 'default';
  readonly redirected = false;
  readonly statusText = '';
  bodyUsed = false;
  #headers: Headers | undefined;
  #streaming: Response | undefined;

  constructor(
    readonly url: string,
    readonly status: number,
    readonly received: IncomingHttpHeaders,
    readonly content: Buffer<ArrayBuffer>,
    readonly isPrivate = false,
  ) {}

  /** Marks the response as one from a private address, and redacts it unless it is a 2xx. */
  asPrivate(isPortkey: boolean): BufferedResponse {
    if (this.ok) return new BufferedResponse(this.url, this.status, this.received, this.content, true);
    const { 'content-length': _length, 'content-type': type, ...others } = this.received;
    const redacted = JSON.stringify(redactPrivateResponse(this.content.toString('utf8'), type, isPortkey));
    return new BufferedResponse(
      this.url,
      this.status,
      { ...others, 'content-type': 'application/json' },
      Buffer.from(redacted),
      true,
    );
  }

  get ok(): boolean {
    return isOk(this.status);
  }

  get headers(): Headers {
    return (this.#headers ??= new Headers(
      Object.entries(this.received).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value ?? '']).map((text): [string, string] => [name, text]),
      ),
    ));
  }

  async text(): Promise<string> {
    this.bodyUsed = true;
    // Like a stream: bytes that are not UTF-8 are replaced, and a byte order mark is dropped.
    return this.content[0] === 0xef && this.content[1] === 0xbb && this.content[2] === 0xbf
      ? this.content.toString('utf8', 3)
      : this.content.toString('utf8');
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.bodyUsed = true;
    return this.content;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown;
  }

  get body(): Response['body'] {
    return this.#asStreaming.body;
  }
  arrayBuffer = (): ReturnType<Response['arrayBuffer']> => this.#asStreaming.arrayBuffer();
  blob = (): ReturnType<Response['blob']> => this.#asStreaming.blob();
  formData = (): ReturnType<Response['formData']> => this.#asStreaming.formData();
  clone = (): Response => new BufferedResponse(this.url, this.status, this.received, this.content, this.isPrivate);

  get #asStreaming(): Response {
    const hasNoBody = this.status === 204 || this.status === 304;
    return (this.#streaming ??= new Response(hasNoBody ? null : new Uint8Array(this.content), {
      status: this.status,
      headers: this.headers,
    }));
  }
}
