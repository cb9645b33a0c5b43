import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { commaSeparated, jsonObject, limit, limitOf, number, repeated, wholeNumber } from '../command.js';
import { findExperiment } from '../lookup/find-experiment.js';
import { chooseSpaces, type SpaceOptions } from '../search-space/choose-spaces.js';
import { readSpace } from '../search-space/read-space.js';
import { TOOL_CHOICES } from '#lib/contracts/values/runs';
import { TUNE_MODES, PROMPT_TUNE_MODES, TUNE_MEASURES } from '#lib/contracts/values/tunes';
import {
  addSettings,
  budgetSettings,
  byTarget,
  CACHE_SETTINGS,
  experimentSetting,
  fieldsOf,
  setting,
  textOrFile,
  textsOrFiles,
} from './settings.js';

export interface TuneSettings extends SpaceOptions {
  models: string[];
  experiment?: string;
}
export type PromptTuneSettings = Omit<TuneSettings, keyof SpaceOptions> & { metaModel: string };

/** Measurement settings of both kinds of tunes. */
const measuring = (what: string) => [
  setting('--measure <name>', 'what is maximised', TUNE_MEASURES),
  setting('--margin <share>', 'the smallest difference that matters, 0 to 1 (default: 0.02, two points)', number),
  setting('-n, --samples <n>', `samples of each case per ${what} during the search`, wholeNumber),
  setting('--holdout <share>', 'share of the cases that only confirm; 0 confirms nothing (default: 0.3)', number),
  setting('--seed <n>', 'seed of everything random', wholeNumber),
  setting('--timeout <seconds>', 'longest time for one request', number, { field: 'timeout_s' }),
  ...CACHE_SETTINGS,
  ...budgetSettings('tune'),
];

const OF_PARAMS = [
  setting(
    '--mode <mode>',
    'grid tries every combination, random some; adaptive, the default, gives more cases to those that do well',
    TUNE_MODES,
  ),
  setting('--trials <n>', 'combinations tried per model by --mode random', wholeNumber),
  setting('--max-combinations <n>', 'maximum combinations per model for --mode grid', wholeNumber),
  setting('--base-temperature <t>', 'temperature of the base, which every arm is compared with', number, {
    field: 'base.temperature',
  }),
  setting('--base-tool-choice <choice>', 'tool choice of the base', TOOL_CHOICES, { field: 'base.tool_choice' }),
  setting('--base-max-tokens <n>', 'most tokens of one reply of the base; none sets no limit', limit, {
    field: 'base.max_tokens',
    toField: limitOf,
  }),
  setting('--base-params <json>', 'further parameters of the base, as a JSON object', jsonObject, {
    field: 'base.params',
  }),
  setting('--base-system-prompt <text>', 'system prompt of all arms; @FILE reads it from a file', undefined, {
    field: 'base.system_prompt',
    toField: textOrFile,
  }),
  ...measuring('arm'),
  experimentSetting('experiment in which the winner is run at the end, by name or id'),
];

const OF_PROMPTS = [
  setting(
    '--mode <mode>',
    'how texts are found; reflective, the default, improves one text at a time by what went wrong',
    PROMPT_TUNE_MODES,
  ),
  setting(
    '--components <list>',
    'texts to write, separated by commas: system_prompt, tools/*/description, tools/NAME/parameters/*/description',
    commaSeparated,
  ),
  setting(
    '--base-prompt <text>',
    "system prompt to begin with instead of the suite's; empty for none; @FILE reads it from a file",
    undefined,
    { field: 'base.system_prompt', toField: textOrFile },
  ),
  setting(
    '--tool-override <place=text>',
    "begin with this description instead of the suite's, repeatable",
    byTarget(String),
    { field: 'base.tools', toField: textsOrFiles },
  ),
  setting('--variants <n>', 'texts that --mode quick tries', wholeNumber),
  setting('--population <n>', 'texts of a generation of --mode evolutionary', wholeNumber),
  setting('--generations <n>', 'generations of --mode evolutionary', wholeNumber),
  setting('--selection-ratio <share>', 'share of a generation that becomes parents of the next', number),
  setting('--minibatch <n>', 'cases that one step of --mode reflective is about', wholeNumber),
  setting('--max-evals <n>', 'most items that --mode reflective measures: cases, samples, models', wholeNumber),
  setting('--max-growth <times>', 'maximum length of a text, as a multiple of its length in the base', number),
  setting('--temperature <t>', 'sampling temperature of the models, 0 to 2', number),
  setting('--tool-choice <choice>', 'whether models must call a tool', TOOL_CHOICES),
  setting('--max-tokens <n>', 'most tokens of one reply; none sets no limit', limit, { toField: limitOf }),
  setting('--params <json>', 'further parameters for each request, as a JSON object', jsonObject),
  setting('--meta-temperature <t>', 'sampling temperature of the meta model (default: 1)', number, {
    field: 'meta_params.temperature',
  }),
  setting('--meta-max-tokens <n>', 'most tokens of one of its replies (default: 8192); none sets no limit', limit, {
    field: 'meta_params.max_tokens',
    toField: limitOf,
  }),
  setting('--meta-params <json>', 'further parameters for each request to it, as a JSON object', jsonObject, {
    field: 'meta_params.params',
  }),
  setting('--meta-timeout <seconds>', 'longest time for one request to it', number, { field: 'meta_params.timeout_s' }),
  ...measuring('text'),
  experimentSetting('experiment in which the best texts are run at the end, by name or id'),
];

export const addSpaceOptions = (command: Command): Command =>
  command
    .option(
      '--space <parameter=values>',
      'values to try: a,b or MIN..MAX/STEP or MIN..MAX:COUNT[:log], repeatable',
      repeated(readSpace),
    )
    .option('--space-file <file>', 'a search space as JSON; --space wins over it');

export const addTuneSettings = (command: Command): Command =>
  addSettings(
    addSpaceOptions(
      command.requiredOption(
        '-m, --models <list>',
        'models to tune, separated by commas: provider::model',
        commaSeparated,
      ),
    ).option(
      '--preset <preset>',
      'a search space that the team keeps, by name or id; --space and --space-file win over it',
    ),
    OF_PARAMS,
  );

export const addPromptTuneSettings = (command: Command): Command =>
  addSettings(
    command
      .requiredOption(
        '-m, --models <list>',
        'models that the texts are for, separated by commas: provider::model',
        commaSeparated,
      )
      .requiredOption('--meta-model <model>', 'model that writes the texts: provider::model'),
    OF_PROMPTS,
  );

/** The API fields for these options. Omitted ones get the API's default. */
export const tuneInput = async (client: ApiClient, suiteId: string, options: TuneSettings) => ({
  suite_id: suiteId,
  models: options.models,
  ...(await chooseSpaces(client, options)),
  ...fieldsOf(OF_PARAMS, options),
  experiment_id: await experimentOf(client, options),
});

export const promptTuneInput = async (client: ApiClient, suiteId: string, options: PromptTuneSettings) => ({
  suite_id: suiteId,
  models: options.models,
  meta_model: options.metaModel,
  ...fieldsOf(OF_PROMPTS, options),
  experiment_id: await experimentOf(client, options),
});

const experimentOf = async (client: ApiClient, { experiment }: { experiment?: string }) =>
  experiment === undefined ? undefined : findExperiment(client, experiment);
