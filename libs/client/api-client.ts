import type { ImportAnswer } from '#lib/contracts/import';
import type { Job } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import type { Problem } from '#lib/contracts/problem';
import type { Result, Run } from '#lib/contracts/run';
import type { Suite } from '#lib/contracts/suite';
import { withoutSlash } from '#lib/contracts/url';

/** The API said no; `problem` says why and what helps. */
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

/** @throws ApiError */
export function readAnswer(
  serverUrl: string,
  { status, type, text }: { status: number; type: string | null | undefined; text: string },
): string {
  if (status >= 200 && status < 300) return text;
  if (!type?.includes('problem')) throw new Error(`${serverUrl} answered ${status}. Is it a Toolmark server?`);
  throw new ApiError(JSON.parse(text) as Problem);
}

/**
 * Speaks to a Toolmark server. Errors of the API are thrown as `ApiError`; a server that is not there, as what
 * fetch throws.
 */
export class ApiClient {
  constructor(
    readonly serverUrl: string,
    readonly token: string,
  ) {}

  async call<Answer>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer> {
    const text = await this.text(path, method, body);
    return (text ? JSON.parse(text) : undefined) as Answer;
  }

  /** What the server answers, as it is. */
  async text(path: string, method = 'GET', body?: unknown): Promise<string> {
    const response = await fetch(`${withoutSlash(this.serverUrl)}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    return readAnswer(this.serverUrl, {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    });
  }

  /** Every item of a list, page by page. */
  async *all<Item>(path: string): AsyncGenerator<Item> {
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page<Item> = await this.call(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      yield* page.items;
      cursor = page.next_cursor;
    }
  }

  suites = (): AsyncGenerator<Suite> => this.all('/api/tool-suites');
  importSuite = (fileText: string, query = ''): Promise<ImportAnswer> =>
    this.call('POST', `/api/tool-eval/import${query}`, fileText);
  submit = (submission: Submission): Promise<{ job_id: string; eval_id: string }> =>
    this.call('POST', '/api/tool-eval', submission);
  run = (id: string): Promise<Run> => this.call('GET', `/api/tool-eval/history/${id}`);
  job = (id: string): Promise<Job> => this.call('GET', `/api/jobs/${id}`);
  jobs = (): AsyncGenerator<Job> => this.all('/api/jobs');
  cancel = (jobId: string): Promise<Job> => this.call('POST', `/api/jobs/${jobId}/cancel`);
  results = (runId: string, query = ''): AsyncGenerator<Result> =>
    this.all(`/api/tool-eval/history/${runId}/results${query}`);
  result = (runId: string, resultId: string): Promise<Result & { explanation: string[] }> =>
    this.call('GET', `/api/tool-eval/history/${runId}/results/${resultId}`);
}
