import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Job } from '#lib/contracts/job';
import type { Page } from '#lib/contracts/page';
import type { Run } from '#lib/contracts/run';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findJob, undefinedIfNotFound } from '../lookup/find-run.js';
import { addListOptions, printList, readList, type ListOptions } from '../lookup/read-list.js';
import { jobTable } from '../output/job-table.js';
import { print, printJson } from '../output/terminal.js';
import { JOB_ORDERS, JOB_STATUSES, JOB_TYPES } from '#lib/contracts/values/jobs';
import { queryOf } from '../query.js';

interface JobsOptions extends ListOptions {
  status?: string;
  type?: string;
  order?: string;
}

export function addJobs(program: Command): void {
  const jobs = subcommand(program, 'jobs', 'list jobs, newest first or in the order in which they run')
    .addOption(new Option('--status <status>', 'only jobs in this status').choices(JOB_STATUSES))
    .addOption(new Option('--type <type>', 'only jobs of this type').choices(JOB_TYPES))
    .addOption(
      new Option('--order <order>', 'queue: unfinished jobs in the order in which they run').choices(JOB_ORDERS),
    );
  addListOptions(jobs).action(serverAction<JobsOptions>(listJobs));
  jobs.addHelpText(...examples('toolmark jobs --status running', 'toolmark jobs --order queue'));

  const cancel = program
    .command('cancel')
    .description('cancel a run, rescore, gate run, tune or judge; settled items are kept')
    .argument('<id>', 'id or id prefix of a job or run')
    .action(serverAction<GlobalOptions, [string]>(cancelJob));
  cancel.addHelpText(...examples('toolmark cancel RUNNING_RUN'));
}

async function listJobs(client: ApiClient, options: JobsOptions): Promise<void> {
  const { status, type, order } = options;
  const list = await readList<Job>(client, `/api/jobs?${queryOf({ status, type, order })}`, options);
  const runs = options.json ? new Map<string, Run>() : await runsOf(client, list.items);
  printList(list, options, status || type || order === 'queue' ? 'No jobs match.' : 'No jobs yet.', (items) =>
    jobTable(items, runs),
  );
}

/** The runs of these jobs, by id. The newest ones are read together; older ones were resumed. */
async function runsOf(client: ApiClient, jobs: readonly Job[]): Promise<Map<string, Run>> {
  const { items }: Page<Run> = await client.page('/api/tool-eval/history', jobs.length || 1);
  const runs = new Map(items.map((run) => [run.id, run]));
  for (const { type, result_ref: id } of jobs) {
    if (type !== 'tool_eval' || id === null || runs.has(id)) continue;
    const run = await client.run(id).catch(undefinedIfNotFound); // It may have been deleted since.
    if (run) runs.set(id, run);
  }
  return runs;
}

async function cancelJob(client: ApiClient, options: GlobalOptions, id: string): Promise<void> {
  const job = await client.cancel(await findJob(client, id));
  if (options.json) printJson(job);
  else print(`Cancelled. ${job.progress.done} of ${job.progress.total} items are settled and kept.`);
}
