import type { ImportAnswer } from '#lib/contracts/import';
import type { Job } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import type { Problem } from '#lib/contracts/input/problem';
import type { Result } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import type { Suite } from '#lib/contracts/suite';
import { withoutSlash } from '#lib/contracts/url';

/** The API refused a request; `problem` says why and what helps. */
export class ApiError extends Error {
  readonly lines: string[];

  constructor(readonly problem: Problem) {
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
export type ExplainedResult = Result & { explanation: string[] };

/** @throws ApiError; Error when the answer is not one of a Toolmark server */
export function readAnswer(
  serverUrl: string,
  { status, type, text }: { status: number; type: string | null | undefined; text: string },
): string {
  if (status >= 200 && status < 300) return text;
  if (!type?.includes('problem')) throw new Error(`${serverUrl} answered ${status}. Is it a Toolmark server?`);
  throw new ApiError(JSON.parse(text) as Problem);
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const MAX_PAGE = 200;

/**
 * Speaks to a Toolmark server. Throws an `ApiError` when the API refuses a request, and what fetch throws when there
 * is no server.
 */
export class ApiClient {
  constructor(
    readonly serverUrl: string,
    readonly token: string,
  ) {}

  async call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
    const text = await this.text(path, method, body);
    return (text ? JSON.parse(text) : undefined) as Answer;
  }

  /** The text of an answer: JSON whose numbers are kept as they were written, or a file. */
  async text(path: string, method: Method = 'GET', body?: unknown): Promise<string> {
    const response = await this.#fetch(path, method, body);
    return readAnswer(this.serverUrl, {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    });
  }

  /** A file of any size, piece by piece. */
  async *download(path: string): AsyncGenerator<string> {
    const response = await this.#fetch(path, 'GET');
    const { status, headers, body } = response;
    if (!response.ok || !body)
      return void (yield readAnswer(this.serverUrl, {
        status,
        type: headers.get('content-type'),
        text: await response.text(),
      }));
    yield* body.pipeThrough(new TextDecoderStream());
  }

  #fetch(path: string, method: Method, body?: unknown): Promise<Response> {
    return fetch(`${withoutSlash(this.serverUrl)}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
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
  run = (id: string): Promise<Run> => this.call('GET', `/api/tool-eval/history/${id}`);
  job = (id: string): Promise<Job> => this.call('GET', `/api/jobs/${id}`);
  jobs = (): AsyncGenerator<Job> => this.all('/api/jobs');
  cancel = (jobId: string): Promise<Job> => this.call('POST', `/api/jobs/${jobId}/cancel`);
  results = (runId: string, query = ''): AsyncGenerator<Result> =>
    this.all(`/api/tool-eval/history/${runId}/results${query}`);
  result = (runId: string, resultId: string, query = ''): Promise<ExplainedResult> =>
    this.call('GET', `/api/tool-eval/history/${runId}/results/${encodeURIComponent(resultId)}${query}`);
}
