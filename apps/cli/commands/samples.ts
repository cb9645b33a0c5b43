import type { Command } from 'commander';
import type { ApiClient, Submitted } from '#lib/client/api-client';
import { number, onServer, wholeNumber, examples } from '../command.js';
import { findRun } from '../lookup/find-run.js';
import { addFollowOptions, follow, type FollowOptions } from './follow.js';
import { budgetOf } from './settings.js';

interface SamplesOptions extends FollowOptions {
  maxRequests?: number;
  maxCostUsd?: number;
}

export function addSamples(program: Command): void {
  const samples = program
    .command('samples')
    .description('add samples to a run, as a run that extends it; compare reads both with --extended')
    .argument('<run>', 'id of a run or a job, or its beginning')
    .argument('<n>', 'how many further samples of each case to make', wholeNumber)
    .option('--max-requests <n>', 'most requests for these samples', wholeNumber)
    .option('--max-cost-usd <dollars>', 'most that these samples may cost', number);
  addFollowOptions(samples).action(onServer<SamplesOptions, [string, number]>(addSamplesTo));
  samples.addHelpText(...examples('toolmark samples RUN 1 --watch'));
}

async function addSamplesTo(client: ApiClient, options: SamplesOptions, id: string, samples: number): Promise<void> {
  const { id: runId } = await findRun(client, id);
  const body = { samples, budget: budgetOf(options) };
  await follow(client, await client.call<Submitted>('POST', `/api/tool-eval/history/${runId}/samples`, body), options);
}
