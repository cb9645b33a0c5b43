import type { ImportAnswer } from '#lib/contracts/import';
import type { Job } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import { parseJson } from '#lib/contracts/json/json';
import type { Problem } from '#lib/contracts/input/problem-document';
import type { Result, ResultWithExchange } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import { PAGE_HEADER, TEAM_HEADER } from '#lib/contracts/page-header';
import type { Suite } from '#lib/contracts/suite';
import { withoutSlash } from '#lib/contracts/url';

/** Servers of earlier releases send no `code` and `params`. */
export type ReceivedProblem = Omit<Problem, 'code' | 'params'> & Partial<Pick<Problem, 'code' | 'params'>>;

/** The API refused a request; `problem` says why and what helps, `retryAfterS` when to try again. */
export class ApiError extends Error {
  readonly lines: string[];

  constructor(
    readonly problem: ReceivedProblem,
    readonly retryAfterS?: number,
  ) {
    const more = (problem.errors ?? []).filter(({ message }) => !problem.detail.includes(message));
    const lines = [problem.detail, ...more.map(({ path, message }) => `  ${path}: ${message}`)];
    super(lines.join('\n'));
    this.lines = lines;
  }
}

export interface Submission {
  suite_id: string;
  models: (string | { provider_key: string; model_id: string; params?: object })[];
  [setting: string]: unknown;
}
export interface Submitted {
  job_id: string;
  eval_id: string;
}
/** Servers of earlier releases do not send `said`. */
export type ExplainedResult = Omit<ResultWithExchange, 'said'> & Partial<Pick<ResultWithExchange, 'said'>>;

/** @throws ApiError; Error when the response does not come from a Toolmark server */
export function readAnswer(
  serverUrl: string,
  {
    status,
    type,
    retryAfter,
    text,
  }: { status: number; type: string | null | undefined; retryAfter?: string | null; text: string },
): string {
  if (status >= 200 && status < 300) return text;
  if (!type?.includes('problem')) throw new Error(`${serverUrl} answered ${status}. Is it a Toolmark server?`);
  throw new ApiError(JSON.parse(text) as ReceivedProblem, retryAfter ? Number(retryAfter) : undefined);
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const MAX_PAGE = 200;
/** Minimum delay between polls of a pending answer, for servers that do not long-poll. */
const MIN_POLL_GAP_MS = 900;

export interface CallOptions {
  signal?: AbortSignal;
  /** Sending the request again with the same key does not apply it twice. */
  idempotencyKey?: string;
}

/** @throws the reason of the signal */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => (clearTimeout(timer), reject(signal!.reason as Error));
    const timer = setTimeout(() => (signal?.removeEventListener('abort', leave), resolve()), ms);
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/** Identifies the caller: by a token, or by the session whose cookie the browser adds. */
export const credentials = (token: string | undefined): Record<string, string> =>
  token === undefined ? { [PAGE_HEADER]: '1' } : { authorization: `Bearer ${token}` };

/**
 * Client of a Toolmark server. Throws an `ApiError` when the API refuses a request, and what fetch throws when the
 * server cannot be reached.
 */
export class ApiClient {
  /**
   * @param token omitted in a browser, which sends its session cookie
   * @param team the id of the team that a page shows at the time, of several that its user is in
   */
  constructor(
    readonly serverUrl: string,
    readonly token?: string,
    readonly team?: () => string | undefined,
  ) {}

  /** The parsed answer. Numbers in user data that JavaScript would print differently keep their original notation. */
  async call<Answer>(method: Method, path: string, body?: unknown, options?: CallOptions): Promise<Answer> {
    const text = await this.text(path, method, body, options);
    return (text ? parseJson(text) : undefined) as Answer;
  }

  /** The response text: JSON, or a file. */
  async text(path: string, method: Method = 'GET', body?: unknown, options?: CallOptions): Promise<string> {
    return this.#read(await this.#fetch(path, method, body, options));
  }

  /**
   * Streams a file of any size in chunks, including its byte order mark. Throws what fetch throws when it breaks off.
   */
  async *download(path: string, options?: CallOptions): AsyncGenerator<string> {
    const response = await this.#fetch(path, 'GET', undefined, options);
    if (!response.ok || !response.body) return void (yield this.#read(response));
    yield* response.body.pipeThrough(new TextDecoderStream('utf-8', { ignoreBOM: true }));
  }

  async #read(response: Response): Promise<string> {
    const { status, headers } = response;
    const [type, retryAfter] = [headers.get('content-type'), headers.get('retry-after')];
    return readAnswer(this.serverUrl, { status, type, retryAfter, text: await response.text() });
  }

  /**
   * While a read is answered with 202 (a comparison that is still being computed), polls the location that the answer
   * names. The server long-polls there.
   */
  async #fetch(path: string, method: Method, body: unknown, options?: CallOptions): Promise<Response> {
    for (let place = path; ;) {
      const askedAt = performance.now();
      const response = await this.send(place, method, body, options);
      const next = response.headers.get('location');
      if (method !== 'GET' || response.status !== 202 || !next?.startsWith('/')) return response;
      await response.body?.cancel();
      const pauseMs = askedAt + MIN_POLL_GAP_MS - performance.now();
      if (place !== path && pauseMs > 0) await pause(pauseMs, options?.signal);
      place = next;
    }
  }

  protected send(path: string, method: Method, body: unknown, options: CallOptions = {}): Promise<Response> {
    const { signal, idempotencyKey } = options;
    const team = this.team?.();
    return fetch(`${withoutSlash(this.serverUrl)}${path}`, {
      method,
      signal,
      // A deletion that is sent while a page is left still arrives.
      keepalive: method === 'DELETE',
      headers: {
        ...credentials(this.token),
        ...(team !== undefined && { [TEAM_HEADER]: team }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  page<Item>(path: string, limit = MAX_PAGE, cursor?: string | null): Promise<Page<Item>> {
    const query = new URLSearchParams({ limit: String(Math.min(limit, MAX_PAGE)), ...(cursor && { cursor }) });
    return this.call('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
  }

  /** Every item of a list, page by page. */
  async *all<Item>(path: string): AsyncGenerator<Item> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Page<Item> = await this.page(path, MAX_PAGE, cursor);
      yield* page.items;
      cursor = page.next_cursor;
    }
  }

  suites = (): AsyncGenerator<Suite> => this.all('/api/tool-suites');
  importSuite = (fileText: string, query = ''): Promise<ImportAnswer> =>
    this.call('POST', `/api/tool-eval/import${query}`, fileText);
  deleteSuite = (id: string): Promise<void> => this.call('DELETE', `/api/tool-suites/${id}`);
  submit = (submission: Submission): Promise<Submitted> => this.call('POST', '/api/tool-eval', submission);
  /** @param query such as `?prices=current` */
  run = (id: string, query = ''): Promise<Run> => this.call('GET', `/api/tool-eval/history/${id}${query}`);
  job = (id: string): Promise<Job> => this.call('GET', `/api/jobs/${id}`);
  jobs = (): AsyncGenerator<Job> => this.all('/api/jobs');
  cancel = (jobId: string): Promise<Job> => this.call('POST', `/api/jobs/${jobId}/cancel`);
  results = (runId: string, query = ''): AsyncGenerator<Result> =>
    this.all(`/api/tool-eval/history/${runId}/results${query}`);
  result = (runId: string, resultId: string, query = ''): Promise<ExplainedResult> =>
    this.call('GET', `/api/tool-eval/history/${runId}/results/${encodeURIComponent(resultId)}${query}`);
}
