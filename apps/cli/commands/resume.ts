import type { Command } from 'commander';
import type { ApiClient, Submitted } from '#lib/client/api-client';
import { number, onServer, wholeNumber, withExamples } from '../command.js';
import { findRun } from '../lookup/find-run.js';
import { addFollowOptions, follow, type FollowOptions } from './follow.js';
import { budgetOf } from './run-settings.js';

interface ResumeOptions extends FollowOptions {
  maxRequests?: number;
  maxCostUsd?: number;
  /** False with --no-budget. */
  budget: boolean;
}

export function addResume(program: Command): void {
  const resume = program
    .command('resume')
    .description('ask again what errored, and what was not asked yet')
    .argument('<run>', 'id of a run or a job, or its beginning')
    .option('--max-requests <n>', 'new limit of the requests of the whole run', wholeNumber)
    .option('--max-cost-usd <dollars>', 'new limit of the cost of the whole run', number)
    .option('--no-budget', 'take all limits away');
  addFollowOptions(resume).action(onServer<ResumeOptions, [string]>(resumeRun));
  withExamples(resume, 'toolmark resume CANCELLED_RUN --watch');
}

async function resumeRun(client: ApiClient, options: ResumeOptions, id: string): Promise<void> {
  const run = await findRun(client, id);
  const budget = options.budget ? budgetOf(options) : null;
  const submitted = await client.call<Submitted>('POST', `/api/tool-eval/history/${run.id}/resume`, { budget });
  await follow(client, submitted, options);
}
