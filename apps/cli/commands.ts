import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, Submission } from '#lib/client/api-client';
import { isFinished } from '#lib/contracts/job';
import type { Run } from '#lib/contracts/run';
import { leaderboard, progressLines, table } from './show.js';
import type { Options } from './main.js';

const json = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

export async function suites(client: ApiClient, [what, argument]: string[]): Promise<void> {
  if (what === 'import' && argument) {
    const answer = await client.importSuite(readFileSync(argument, 'utf8'));
    for (const warning of answer.warnings) console.error(`Warning: ${warning}`);
    console.log(`Imported ${answer.test_cases_created} cases as suite ${answer.suite_id}`);
  } else if (what === 'export' && argument) {
    json(await client.call('GET', `/api/tool-suites/${argument}/export`));
  } else if (what === undefined || what === 'list') {
    const rows: string[][] = [];
    for await (const suite of client.suites()) rows.push([suite.id, suite.name, `v${suite.version}`, `${suite.test_cases_count} cases`, `${suite.tools.length} tools`]);
    console.log(rows.length ? table(rows) : 'No suites yet. Import one: toolmark suites import examples/weather.json');
  } else throw new Error('toolmark suites list | import FILE | export ID');
}

export async function run(client: ApiClient, [suite]: string[], options: Options): Promise<void> {
  const models = options.models?.split(',').map((name) => name.trim()).filter(Boolean) ?? [];
  if (!suite || models.length === 0) throw new Error('toolmark run SUITE --models provider::model,provider::model');
  const suiteId = existsSync(suite) ? (await client.importSuite(readFileSync(suite, 'utf8'))).suite_id : suite;
  const submission: Submission = {
    suite_id: suiteId, models,
    ...(options.samples && { samples: Number(options.samples) }), ...(options.temperature && { temperature: Number(options.temperature) }),
    ...(options['tool-choice'] && { tool_choice: options['tool-choice'] }),
  };
  const { job_id, eval_id } = await client.submit(submission);
  if (!options.watch) return options.json ? json({ job_id, eval_id }) : console.log(`Submitted: run ${eval_id}, job ${job_id}`);
  const done = await watch(client, eval_id, options.json !== true);
  if (options.json) json(done);
  else console.log(`\n${leaderboard(done)}\n\nRun ${eval_id} is ${done.status}. What failed: toolmark results ${eval_id} --failed`);
  if (done.status !== 'completed') process.exitCode = 1;
}

/** Shows progress until the run is finished and its summaries are there. */
async function watch(client: ApiClient, runId: string, show: boolean): Promise<Run> {
  const drawn = show && process.stderr.isTTY;
  for (let lines = 0; ; ) {
    const now = await client.run(runId);
    if (drawn) {
      if (lines) process.stderr.write(`\u001b[${lines}A`);
      const progress = progressLines(now);
      lines = progress.length;
      for (const line of progress) process.stderr.write(`\u001b[2K${line}\n`);
    }
    const summarised = now.summaries.length === now.targets.length || now.counts.settled === 0;
    if (isFinished(now.status) && summarised) return now;
    await delay(250);
  }
}

export async function jobs(client: ApiClient, _rest: string[], options: Options): Promise<void> {
  const rows: string[][] = [];
  const found = [];
  for await (const job of client.jobs()) {
    found.push(job);
    rows.push([job.id, job.type, job.status, `${job.progress.done}/${job.progress.total}`, job.created_at]);
    if (rows.length === 50) break;
  }
  if (options.json) json(found);
  else console.log(rows.length ? table(rows) : 'No jobs yet.');
}

export async function cancel(client: ApiClient, [jobId]: string[]): Promise<void> {
  if (!jobId) throw new Error('toolmark cancel JOB');
  const job = await client.cancel(jobId);
  console.log(`Cancelled. ${job.progress.done} of ${job.progress.total} items are settled and kept.`);
}

export async function results(client: ApiClient, [runId]: string[], options: Options): Promise<void> {
  if (!runId) throw new Error('toolmark results RUN [--failed] [--json]');
  for await (const result of client.results(runId, options.failed ? '?passed=false' : '')) {
    const { explanation } = options.failed ? await client.result(runId, result.id) : { explanation: [] };
    if (options.json) console.log(JSON.stringify({ ...result, ...(explanation.length && { explanation }) }));
    else {
      console.log(`${result.passed ? 'pass' : result.outcome === 'errored' ? 'error' : 'FAIL'}  ${result.target}  ${result.case_name ?? result.prompt.slice(0, 60)}  ${result.error_type}`);
      for (const sentence of explanation) console.log(`      ${sentence}`);
    }
  }
}
