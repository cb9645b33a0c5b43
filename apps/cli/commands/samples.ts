import type { Command } from 'commander';
import type { ApiClient, Submitted } from '#lib/client/api-client';
import { number, serverAction, integer, examples } from '../command.js';
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
    .description('add samples to a run, in a new run that extends it; compare --extended reads both')
    .argument('<run>', 'id or id prefix of a run or job')
    .argument('<n>', 'number of additional samples of each case', integer)
    .option('--max-requests <n>', 'maximum requests for these samples', integer)
    .option('--max-cost-usd <dollars>', 'maximum cost of these samples in US dollars', number);
  addFollowOptions(samples).action(serverAction<SamplesOptions, [string, number]>(addSamplesTo));
  samples.addHelpText(...examples('toolmark samples RUN 1 --watch'));
}

async function addSamplesTo(client: ApiClient, options: SamplesOptions, id: string, samples: number): Promise<void> {
  const { id: runId } = await findRun(client, id);
  const body = { samples, budget: budgetOf(options) };
  await follow(client, await client.call<Submitted>('POST', `/api/tool-eval/history/${runId}/samples`, body), options);
}
