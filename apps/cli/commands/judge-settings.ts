import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { jsonObject, limit, limitOf, number, wholeNumber } from '../command.js';
import { findExperiment } from '../lookup/find-experiment.js';
import { findRun } from '../lookup/find-run.js';
import { addSettings, budgetSettings, experimentSetting, fieldsOf, setting, textOrFile } from './settings.js';
import { JUDGED_RESULTS } from '#lib/contracts/values/judging';

export interface JudgeSettings {
  against?: string;
  which?: string;
  below?: number;
  experiment?: string;
}

const SETTINGS = [
  setting('-j, --judge <model>', 'model that judges; the default judge of the team when left out'),
  setting('--against <run>', 'compare the replies with those of this run, the baseline', undefined, { field: null }),
  setting(
    '--which <results>',
    'judge what did not pass, all results, or a random sample, which speaks for all',
    JUDGED_RESULTS,
  ),
  setting(
    '--sample-size <n>',
    'how many results --which sample draws, or most cases that --against compares',
    wholeNumber,
  ),
  setting('--below <score>', 'only what did not pass and scored below this, 0 to 1', number),
  setting('-n, --samples <n>', 'how often each is judged; the majority counts', wholeNumber),
  setting(
    '--instructions <text>',
    "in place of the team's: what to mind in this suite; @FILE reads it from a file",
    undefined,
    { toField: textOrFile },
  ),
  setting('--no-reference', 'do not show the judge what cases expect', undefined, {
    toField: (value) => (value === false ? false : undefined),
  }),
  setting('--allow-self', 'let a model judge itself, which is refused otherwise'),
  setting('--seed <n>', 'decides what is drawn', wholeNumber),
  setting('--temperature <t>', 'sampling temperature of the judge, 0 to 2', number),
  setting('--max-tokens <n>', 'most tokens of one reply of the judge (default: 4096); none sets no limit', limit, {
    toField: limitOf,
  }),
  setting('--timeout <seconds>', 'longest time for one request', number, { field: 'timeout_s' }),
  setting('--params <json>', 'further parameters for each request, as a JSON object', jsonObject),
  ...budgetSettings('report'),
  experimentSetting('experiment that the report belongs to, by name or id'),
];

/** Adds an option for every setting of a report. */
export const addJudgeSettings = (command: Command): Command => addSettings(command, SETTINGS);

/** The API fields for these options. Omitted ones get the API's default. */
export async function judgeInput(client: ApiClient, run: string, options: JudgeSettings) {
  const { against, which, below, experiment } = options;
  if (against !== undefined && (which !== undefined || below !== undefined))
    throw new Error('--against compares the cases that both runs have: leave --which and --below out.');
  const { id } = await findRun(client, run);
  return {
    ...(against === undefined ? { eval_id: id } : { a: (await findRun(client, against)).id, b: id }),
    ...fieldsOf(SETTINGS, options),
    experiment_id: experiment === undefined ? undefined : await findExperiment(client, experiment),
  };
}
