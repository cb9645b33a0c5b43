import { ApiError, type ApiClient } from '#lib/client/api-client';
import { parseJson } from '#lib/contracts/json/json';
import type { Job } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import type { Run } from '#lib/contracts/run';
import type { Suite } from '#lib/contracts/suite';
import { confirmDrafts, listDrafts } from './drafts.js';
import { findSuite, UUID } from './find-suite.js';
import { importQuery, readImport } from './read-suite-file.js';
import { jobTable, table } from './show.js';
import { say, sayFile, sayJson, tell } from './terminal.js';
import type { Options } from './main.js';

export async function suites(client: ApiClient, [what, argument, ...more]: string[], options: Options): Promise<void> {
  if (what === 'import' && argument) {
    const answer = await client.importSuite(readImport(argument, options), importQuery(options));
    for (const warning of answer.warnings) tell(`Warning: ${warning}`);
    if (options['dry-run']) sayJson(answer.preview, 2);
    else say(`Imported ${answer.test_cases_created} cases as suite ${answer.suite_id}`);
  } else if (what === 'export' && argument) {
    const text = await client.text(
      `/api/tool-suites/${await findSuite(client, argument)}/export?format=${encodeURIComponent(options.format ?? 'json')}`,
    );
    if ((options.format ?? 'json') === 'json') sayJson(parseJson(text), 2);
    else sayFile(text);
  } else if (what === 'drafts' && argument) await listDrafts(client, argument, options);
  else if (what === 'confirm' && argument && more.length) await confirmDrafts(client, argument, more);
  else if (what === undefined || what === 'list') {
    const found: Suite[] = [];
    for await (const suite of client.suites()) found.push(suite);
    if (options.json) return sayJson(found, 2);
    const rows = found.map((suite) => [
      suite.id,
      suite.name,
      `v${suite.version}`,
      `${suite.test_cases_count} cases`,
      `${suite.tools.length} tools`,
    ]);
    say(...(rows.length ? table(rows) : ['No suites yet. Import one: toolmark suites import examples/weather.json']));
  } else
    throw new Error(
      'toolmark suites list | import FILE [--format F] [--dry-run] | export SUITE [--format F] | ' +
        'drafts SUITE | confirm SUITE CASE ...',
    );
}

const MOST_JOBS = 50;

export async function jobs(client: ApiClient, _rest: string[], options: Options): Promise<void> {
  const found: Job[] = [];
  for await (const job of client.jobs()) if (found.push(job) === MOST_JOBS) break;
  if (options.json) sayJson(found, 2);
  else say(...(found.length ? jobTable(found, await runsOf(client, found)) : ['No jobs yet.']));
}

/** The runs that these jobs carry out, by id. The newest ones are read together; older ones were resumed. */
async function runsOf(client: ApiClient, jobs: readonly Job[]): Promise<Map<string, Run>> {
  const { items } = await client.call<Page<Run>>('GET', `/api/tool-eval/history?limit=${MOST_JOBS}`);
  const runs = new Map(items.map((run) => [run.id, run]));
  for (const { type, result_ref: id } of jobs) {
    if (type !== 'tool_eval' || id === null || runs.has(id)) continue;
    const run = await client.run(id).catch(absent); // deleted just now
    if (run) runs.set(id, run);
  }
  return runs;
}

export async function cancel(client: ApiClient, [jobId]: string[]): Promise<void> {
  if (!jobId) throw new Error('toolmark cancel JOB');
  const job = await client.cancel(jobId);
  say(`Cancelled. ${job.progress.done} of ${job.progress.total} items are settled and kept.`);
}

export async function results(client: ApiClient, [id]: string[], options: Options): Promise<void> {
  if (!id) throw new Error('toolmark results RUN|JOB [--failed] [--json]');
  const { id: runId, warnings } = await runOf(client, id);
  for (const { code, message } of warnings) tell(`Warning: ${message ?? code}`);
  for await (const result of client.results(runId, options.failed ? '?passed=false' : '')) {
    const { explanation } = options.failed ? await client.result(runId, result.id) : { explanation: [] };
    if (options.json) sayJson({ ...result, ...(explanation.length && { explanation }) });
    else {
      say(
        `${result.passed ? 'pass' : result.outcome === 'errored' ? 'error' : 'FAIL'}  ` +
          `${result.target}  ${result.case_name ?? result.prompt.slice(0, 60)}  ${result.error_type}`,
      );
      say(...explanation.map((sentence) => `      ${sentence}`));
    }
  }
}

/** The run of an id that may be its job's. */
async function runOf(client: ApiClient, id: string): Promise<Run> {
  if (UUID.test(id)) {
    const run = await client.run(id).catch(absent);
    if (run) return run;
    const job = await client.job(id).catch(absent);
    if (job?.type === 'tool_eval' && job.result_ref) return client.run(job.result_ref);
    if (job) throw new Error(`Job ${id} is no run: it is a ${job.type}.`);
  }
  throw new Error(`No run and no job has the id "${id}". The last ones: toolmark jobs`);
}

function absent(error: unknown): undefined {
  if (error instanceof ApiError && error.problem.status === 404) return undefined;
  throw error;
}
