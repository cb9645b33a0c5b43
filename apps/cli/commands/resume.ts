import type { Command } from 'commander';
import type { ApiClient, Submitted } from '#lib/client/api-client';
import type { Gate, GateRun, GateSubmitted } from '#lib/gate/contract';
import type { Job } from '#lib/contracts/job';
import { number, serverAction, integer, examples } from '../command.js';
import { findParentJob, findRun, undefinedIfNotFound } from '../lookup/find-run.js';
import { addFollowOptions, follow, type FollowOptions } from './follow.js';
import { print, printJson } from '../output/terminal.js';
import { followParent, type ParentType, type SubmittedParent } from './watched-jobs.js';
import { reportGateOutcome, followGate } from './gate.js';
import { budgetOf } from './settings.js';

interface ResumeOptions extends FollowOptions {
  maxRequests?: number;
  maxCostUsd?: number;
  /** False with --no-budget. */
  budget: boolean;
}

export function addResume(program: Command): void {
  const resume = program
    .command('resume')
    .description('retry errored items of a run and run the missing ones; or continue a gate run, tune or judge')
    .argument('<run>', 'id or id prefix of a run or job; for a gate run, tune or judge, of its job')
    .option('--max-requests <n>', 'new limit on the requests of the whole run', integer)
    .option('--max-cost-usd <dollars>', 'new limit on the cost of the whole run', number)
    .option('--no-budget', 'remove all limits');
  addFollowOptions(resume).action(serverAction<ResumeOptions, [string]>(resumeRun));
  resume.addHelpText(...examples('toolmark resume CANCELLED_RUN --watch'));
}

async function resumeRun(client: ApiClient, options: ResumeOptions, id: string): Promise<void> {
  const budget = options.budget ? budgetOf(options) : null;
  const parent = await findParentJob(client, id);
  if (parent?.type === 'gate') return resumeGate(client, options, parent, budget);
  if (parent) {
    const submitted = await client.call<SubmittedParent>('POST', `/api/jobs/${parent.id}/resume`, { budget });
    return followParent(client, parent.type as ParentType, submitted, options);
  }
  const run = await findRun(client, id);
  const submitted = await client.call<Submitted>('POST', `/api/tool-eval/history/${run.id}/resume`, { budget });
  await follow(client, submitted, options);
}

async function resumeGate(
  client: ApiClient,
  options: ResumeOptions,
  { id }: Job,
  budget: ReturnType<typeof budgetOf> | null,
): Promise<void> {
  const submitted = await client.call<GateSubmitted>('POST', `/api/jobs/${id}/resume`, { budget });
  if (options.watch) {
    const gateId = await gateOf(client, submitted.gate_run_id);
    return reportGateOutcome(client, await followGate(client, gateId, submitted, options), options);
  }
  if (options.json) printJson(submitted);
  else print(`Submitted: gate run ${submitted.gate_run_id}, job ${submitted.job_id}`);
}

/** The path of a gate run contains its gate, which its job does not name. */
async function gateOf(client: ApiClient, gateRunId: string): Promise<string> {
  for await (const { id } of client.all<Gate>('/api/gates'))
    if (await client.call<GateRun>('GET', `/api/gates/${id}/runs/${gateRunId}`).catch(undefinedIfNotFound)) return id;
  throw new Error(`The gate of gate run ${gateRunId} was deleted.`);
}
