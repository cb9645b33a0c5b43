import type { Command } from 'commander';
import type { ApiClient, Submitted } from '#lib/client/api-client';
import type { Experiment } from '#lib/contracts/experiment';
import type { Run } from '#lib/contracts/run';
import type { GlobalOptions } from '../command.js';
import { number } from '../command.js';
import { EXIT, exitWith, GATE_EXITS } from '../exit-codes.js';
import { undefinedIfNotFound } from '../lookup/find-run.js';
import { baselineLines } from '../reports/experiment.js';
import { leaderboard } from '../output/leaderboard.js';
import { percent } from '../output/table.js';
import { print, printError, printJson } from '../output/terminal.js';
import { checkGate, reportGateOutcome } from './gate.js';

export interface FollowOptions extends GlobalOptions {
  watch?: boolean;
  failUnder?: number;
  /** The id of a gate to check the run against. */
  gate?: string;
}

export const addFollowOptions = (command: Command): Command =>
  command
    .option('-w, --watch', 'wait for the run to finish and print its leaderboard')
    .option(
      '--fail-under <rate>',
      'with --watch: exit with 1 if a pass rate is shown to be lower (0 to 1), with 3 if inconclusive',
      number,
    );

/** Prints what was submitted, or with --watch follows it to its end. */
export async function follow(client: ApiClient, submitted: Submitted, options: FollowOptions): Promise<void> {
  const { job_id, eval_id } = submitted;
  if (!options.watch && options.gate === undefined) {
    if (options.json) printJson(submitted);
    else print(`Submitted: run ${eval_id}, job ${job_id}`);
    return;
  }
  const { watchRun } = await import('../watch-run.js');
  const run = await watchRun(client, job_id, eval_id, { silent: options.json === true }).catch((error: Error) => {
    throw new Error(
      `Watching stopped; the run continues on the server: run ${eval_id}, job ${job_id} (toolmark show ${eval_id}).`,
      { cause: error },
    );
  });
  const answer = options.gate === undefined ? undefined : await checkGate(client, options.gate, run.id);
  if (options.json) printJson({ ...run, ...(answer && { gate: answer }) });
  else
    print(
      ...leaderboard(run),
      '',
      ...(await experimentLines(client, run)),
      `Run ${eval_id} is ${run.status}. What failed: toolmark results ${eval_id} --failed`,
      ...(run.config.judge == null ? [] : [`Judge reports: toolmark judges list ${eval_id}`]),
    );
  if (run.status !== 'completed') {
    exitWith(EXIT.negative);
    if (!options.json) printError(`Retry the missing items with: toolmark resume ${eval_id}`);
  }
  if (options.failUnder !== undefined) checkPassRates(run, options.failUnder, options);
  if (!answer) return;
  if (options.json) exitWith(GATE_EXITS[answer.result]);
  else await reportGateOutcome(client, { answer, gateRunId: null }, {});
}

/** The run's comparison within its experiment. The first run has no baseline to compare with. */
async function experimentLines(client: ApiClient, run: Run): Promise<string[]> {
  if (run.comparison || run.experiment_id === null) return baselineLines(run);
  const experiment = await client
    .call<Experiment>('GET', `/api/experiments/${run.experiment_id}`)
    .catch(undefinedIfNotFound);
  return experiment?.baseline_eval_id === run.id
    ? ['This run is the baseline of its experiment: later runs are compared with it.', '']
    : [];
}

/** Checks each model by the interval of its pass rate; a model without one counts as not measured. */
function checkPassRates({ targets, summaries }: Run, least: number, { json }: GlobalOptions): void {
  for (const { target } of targets) {
    const { pass_rate: rate, pass_rate_ci: ci } = summaries.find((one) => one.target === target) ?? {};
    const [exit, text] =
      rate == null || !ci
        ? [EXIT.notMeasured, 'has no pass rate: nothing was scored.']
        : ci[1] < least
          ? [EXIT.negative, `passes ${rateText(rate, ci)}, less than ${percent(least)}.`]
          : ci[0] < least
            ? [EXIT.inconclusive, `passes ${rateText(rate, ci)}, which may or may not be less than ${percent(least)}.`]
            : [EXIT.done, undefined];
    exitWith(exit);
    if (text !== undefined && !json) printError(`${target} ${text}`);
  }
}

const rateText = (rate: number, ci: readonly [number, number]): string =>
  `${percent(rate)} (${ci.map((limit) => percent(limit)).join(' to ')})`;
