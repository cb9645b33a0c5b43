import type { Command } from 'commander';
import type { ApiClient, Submitted } from '#lib/client/api-client';
import type { Experiment } from '#lib/contracts/experiment';
import type { Run } from '#lib/contracts/run';
import type { GlobalOptions } from '../command.js';
import { number } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { orAbsent } from '../lookup/find-run.js';
import { baselineLines } from '../output/experiment-lines.js';
import { leaderboard } from '../output/leaderboard.js';
import { percent } from '../output/table.js';
import { print, printError, printJson } from '../output/terminal.js';

export interface FollowOptions extends GlobalOptions {
  watch?: boolean;
  failUnder?: number;
}

export const addFollowOptions = (command: Command): Command =>
  command
    .option('-w, --watch', 'follow the run to its end and print its leaderboard')
    .option('--fail-under <score>', 'with --watch: exit with 1 when a model scores less, 0 to 1', number);

/** Says what was submitted, or with --watch what becomes of it. */
export async function follow(client: ApiClient, submitted: Submitted, options: FollowOptions): Promise<void> {
  const { job_id, eval_id } = submitted;
  if (!options.watch) {
    if (options.json) printJson(submitted);
    else print(`Submitted: run ${eval_id}, job ${job_id}`);
    return;
  }
  const { watchRun } = await import('../watch-run.js');
  const run = await watchRun(client, job_id, eval_id, { silent: options.json === true }).catch((error: Error) => {
    throw new Error(
      `Watching ended, but the run goes on at the server: run ${eval_id}, job ${job_id} (toolmark show ${eval_id}).`,
      { cause: error },
    );
  });
  if (options.json) printJson(run);
  else
    print(
      ...leaderboard(run),
      '',
      ...(await experimentLines(client, run)),
      `Run ${eval_id} is ${run.status}. What failed: toolmark results ${eval_id} --failed`,
    );
  if (run.status !== 'completed') {
    process.exitCode = EXIT.negative;
    if (!options.json) printError(`Ask again what is missing with: toolmark resume ${eval_id}`);
  }
  if (options.failUnder !== undefined) checkScores(run.summaries, options.failUnder, options);
}

/** What the run shows in its experiment. The first one has nothing to be compared with. */
async function experimentLines(client: ApiClient, run: Run): Promise<string[]> {
  if (run.comparison || run.experiment_id === null) return baselineLines(run);
  const experiment = await client.call<Experiment>('GET', `/api/experiments/${run.experiment_id}`).catch(orAbsent);
  return experiment?.baseline_eval_id === run.id
    ? ['This run is the baseline of its experiment: the next ones are compared with it.', '']
    : [];
}

/** A model without a score has not reached any. */
function checkScores(
  summaries: readonly { target: string; overall: number | null }[],
  least: number,
  { json }: GlobalOptions,
): void {
  const below = summaries.filter(({ overall }) => (overall ?? -1) < least);
  if (summaries.length > 0 && below.length === 0) return;
  process.exitCode = EXIT.negative;
  if (!json)
    printError(
      ...below.map(({ target, overall }) => `${target} scores ${percent(overall)}, less than ${percent(least)}.`),
    );
}
