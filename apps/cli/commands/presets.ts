import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { ParamPreset } from '#lib/param-tune/contract';
import { listsByDefault, onServer, withExamples, type GlobalOptions } from '../command.js';
import { findPreset, PRESETS_ROUTE } from '../lookup/find-preset.js';
import { printList } from '../lookup/read-list.js';
import { print, printJson } from '../output/terminal.js';
import { presetsTable } from '../reports/tune.js';
import { chooseSpaces, type SpaceOptions } from '../search-space/choose-spaces.js';
import { addSpaceOptions } from './tune-settings.js';

type SaveOptions = Omit<SpaceOptions, 'preset'> & GlobalOptions;

export function addPresets(program: Command): void {
  const list = onServer<GlobalOptions>(listPresets);
  const presets = listsByDefault(
    program.command('presets').description('search spaces that the team keeps for toolmark tune params'),
    list,
  );
  withExamples(presets, 'toolmark presets', 'toolmark presets save Sampling --space temperature=0..1/0.25');
  withExamples(presets.command('list').description('list presets').action(list), 'toolmark presets list');
  withExamples(
    addSpaceOptions(
      presets.command('save').description('keep a search space').argument('<name>', 'what to call it'),
    ).action(onServer<SaveOptions, [string]>(savePreset)),
    'toolmark presets save Choices --space tool_choice=auto,required --space top_p=0.5,1',
  );
  withExamples(
    presets
      .command('delete')
      .description('delete a preset')
      .argument('<preset>', 'name or id of a preset, or the beginning of an id')
      .action(onServer<GlobalOptions, [string]>(deletePreset)),
    'toolmark presets delete "Old preset"',
  );
}

async function listPresets(client: ApiClient, options: GlobalOptions): Promise<void> {
  const items: ParamPreset[] = [];
  for await (const preset of client.all<ParamPreset>(PRESETS_ROUTE)) items.push(preset);
  printList({ items }, options, 'No presets. Keep a search space: toolmark presets save --help', presetsTable);
}

async function savePreset(client: ApiClient, options: SaveOptions, name: string): Promise<void> {
  const { search_space, per_model_search_spaces: own } = await chooseSpaces(client, options);
  if (own !== undefined) throw new Error('A preset is one search space, and the file has some of single models.');
  const preset = await client.call<ParamPreset>('POST', PRESETS_ROUTE, { name, search_space });
  if (options.json) printJson(preset);
  else print(`Kept preset ${preset.id} (${preset.name})`);
}

async function deletePreset(client: ApiClient, options: GlobalOptions, wanted: string): Promise<void> {
  const id = await findPreset(client, wanted);
  await client.call('DELETE', `${PRESETS_ROUTE}/${id}`);
  if (options.json) printJson({ id });
  else print(`Deleted preset ${id}`);
}
