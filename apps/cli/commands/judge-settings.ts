import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { jsonObject, limit, number, integer } from '../command.js';
import { findExperiment } from '../lookup/find-named.js';
import { findRun } from '../lookup/find-run.js';
import { addSettings, budgetSettings, experimentSetting, fieldsOf, setting, textOrFile } from './settings.js';
import { JUDGED_RESULTS } from '#lib/contracts/values/judging';

export interface JudgeSettings {
  against?: string;
  which?: string;
  below?: number;
  experiment?: string;
  /** False with --no-reference. */
  reference?: boolean;
}

const SETTINGS = [
  setting('-j, --judge <model>', "model that judges (default: the team's judge)"),
  setting('--against <run>', 'compare the replies with those of this run, the baseline', String, null),
  setting('--which <results>', 'judge failed results, all, or a random sample that represents all', JUDGED_RESULTS),
  setting('--sample-size <n>', 'number of results for --which sample, or maximum cases for --against', integer),
  setting('--below <score>', 'only failed results that scored below this, 0 to 1', number),
  setting('-n, --samples <n>', 'judgements per result; the majority counts', integer),
  setting('--instructions <text>', "instructions instead of the team's; @FILE reads a file", textOrFile),
  setting('--no-reference', 'hide the expectations of cases from the judge', undefined, null),
  setting('--allow-self', 'allow a model to judge itself'),
  setting('--seed <n>', 'random seed of the sample', integer),
  setting('--temperature <t>', 'sampling temperature of the judge, 0 to 2', number),
  setting('--max-tokens <n>', 'maximum tokens per reply of the judge (default: 4096); none for no limit', limit),
  setting('--timeout <seconds>', 'maximum time per request', number, 'timeout_s'),
  setting('--params <json>', 'additional parameters for each request, as a JSON object', jsonObject),
  ...budgetSettings('report'),
  experimentSetting('experiment that the report belongs to, by name or id'),
];

/** Adds an option for every setting of a report. */
export const addJudgeSettings = (command: Command): Command => addSettings(command, SETTINGS);

/** The API fields for these options. Omitted ones get the API's default. */
export async function judgeInput(client: ApiClient, run: string, options: JudgeSettings) {
  const { against, which, below, experiment, reference } = options;
  if (against !== undefined && (which !== undefined || below !== undefined))
    throw new Error('--against compares the cases that both runs have: leave out --which and --below.');
  const { id } = await findRun(client, run);
  return {
    ...(against === undefined ? { eval_id: id } : { a: (await findRun(client, against)).id, b: id }),
    ...fieldsOf(SETTINGS, options),
    reference: reference === false ? false : undefined,
    experiment_id: experiment === undefined ? undefined : await findExperiment(client, experiment),
  };
}
