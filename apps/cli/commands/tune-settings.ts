import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { commaSeparated, jsonObject, limit, number, repeatable, integer } from '../command.js';
import { findExperiment } from '../lookup/find-named.js';
import { chooseSpaces, type SpaceOptions } from '../search-space/choose-spaces.js';
import { readSpace } from '../search-space/read-space.js';
import { TOOL_CHOICES } from '#lib/contracts/values/runs';
import { TUNE_MODES, PROMPT_TUNE_MODES, TUNE_MEASURES } from '#lib/contracts/values/tunes';
import {
  addSettings,
  budgetSettings,
  perTarget,
  CACHE_SETTINGS,
  experimentSetting,
  fieldsOf,
  setting,
  textOrFile,
} from './settings.js';

export interface TuneSettings extends SpaceOptions {
  models: string[];
  experiment?: string;
}
export type PromptTuneSettings = Omit<TuneSettings, keyof SpaceOptions> & { metaModel: string };

/** Measurement settings of both kinds of tunes. */
const measuring = (what: string) => [
  setting('--name <name>', 'display name of the tune'),
  setting('--measure <name>', 'what to maximise', TUNE_MEASURES),
  setting('--margin <share>', 'the smallest difference that matters, 0 to 1 (default: 0.02, two points)', number),
  setting('-n, --samples <n>', `samples of each case per ${what} during the search`, integer),
  setting('--holdout <share>', 'share of the cases held out to confirm the result; 0 for none (default: 0.3)', number),
  setting('--seed <n>', 'random seed', integer),
  setting('--timeout <seconds>', 'maximum time per request', number, 'timeout_s'),
  ...CACHE_SETTINGS,
  ...budgetSettings('tune'),
];

const OF_PARAMS = [
  setting(
    '--mode <mode>',
    'grid tries every combination, random only some; adaptive (the default) gives more cases to the best ones',
    TUNE_MODES,
  ),
  setting('--trials <n>', 'combinations tried per model by --mode random', integer),
  setting('--max-combinations <n>', 'maximum combinations per model for --mode grid', integer),
  setting('--base-temperature <t>', 'temperature of the base that arms are compared with', number, 'base.temperature'),
  setting('--base-tool-choice <choice>', 'tool choice of the base', TOOL_CHOICES, 'base.tool_choice'),
  setting('--base-max-tokens <n>', 'maximum tokens per reply of the base; none for no limit', limit, 'base.max_tokens'),
  setting('--base-params <json>', 'additional parameters of the base, as a JSON object', jsonObject, 'base.params'),
  setting(
    '--base-system-prompt <text>',
    'system prompt of all arms; @FILE reads a file',
    textOrFile,
    'base.system_prompt',
  ),
  ...measuring('arm'),
  experimentSetting('experiment that runs the winner at the end, by name or id'),
];

const OF_PROMPTS = [
  setting(
    '--mode <mode>',
    'search method; reflective (the default) improves one text at a time, based on failures',
    PROMPT_TUNE_MODES,
  ),
  setting(
    '--components <list>',
    'texts to write, separated by commas: system_prompt, tools/*/description, tools/NAME/parameters/*/description',
    commaSeparated,
  ),
  setting(
    '--base-prompt <text>',
    "initial system prompt instead of the suite's; empty for none; @FILE reads a file",
    textOrFile,
    'base.system_prompt',
  ),
  setting(
    '--tool-override <place=text>',
    "initial description instead of the suite's, repeatable",
    perTarget(textOrFile),
    'base.tools',
  ),
  setting('--variants <n>', 'number of texts that --mode quick tries', integer),
  setting('--population <n>', 'texts per generation of --mode evolutionary', integer),
  setting('--generations <n>', 'number of generations of --mode evolutionary', integer),
  setting('--selection-ratio <share>', 'share of a generation that becomes the parents of the next', number),
  setting('--minibatch <n>', 'cases per step of --mode reflective', integer),
  setting('--max-evals <n>', 'maximum items (cases x samples x models) that --mode reflective measures', integer),
  setting('--max-growth <times>', 'maximum length of a text, as a multiple of its length in the base', number),
  setting('--temperature <t>', 'sampling temperature of the models, 0 to 2', number),
  setting('--tool-choice <choice>', 'whether models must call a tool', TOOL_CHOICES),
  setting('--max-tokens <n>', 'maximum tokens per reply; none for no limit', limit),
  setting('--params <json>', 'additional parameters for each request, as a JSON object', jsonObject),
  setting('--meta-temperature <t>', 'temperature of the meta model (default: 1)', number, 'meta_params.temperature'),
  setting(
    '--meta-max-tokens <n>',
    'maximum tokens per reply of the meta model (default: 8192); none for no limit',
    limit,
    'meta_params.max_tokens',
  ),
  setting(
    '--meta-params <json>',
    'additional parameters for each request to the meta model, as a JSON object',
    jsonObject,
    'meta_params.params',
  ),
  setting('--meta-timeout <seconds>', 'maximum time per request to the meta model', number, 'meta_params.timeout_s'),
  ...measuring('text'),
  experimentSetting('experiment that runs the best texts at the end, by name or id'),
];

export const addSpaceOptions = (command: Command): Command =>
  command
    .option(
      '--space <parameter=values>',
      'values to try: a,b or MIN..MAX/STEP or MIN..MAX:COUNT[:log], repeatable',
      repeatable(readSpace),
    )
    .option('--space-file <file>', 'a search space as JSON; --space overrides it');

export const addTuneSettings = (command: Command): Command =>
  addSettings(
    addSpaceOptions(
      command.requiredOption(
        '-m, --models <list>',
        'models to tune, separated by commas: provider::model',
        commaSeparated,
      ),
    ).option('--preset <preset>', 'a saved search space, by name or id; --space and --space-file override it'),
    OF_PARAMS,
  );

export const addPromptTuneSettings = (command: Command): Command =>
  addSettings(
    command
      .requiredOption(
        '-m, --models <list>',
        'models to write texts for, separated by commas: provider::model',
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
