import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { ParamPreset } from '#lib/param-tune/contract';
import { examples, listByDefault, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findPreset, PRESETS_ROUTE } from '../lookup/find-preset.js';
import { printList, readAll } from '../lookup/read-list.js';
import { print, printJson } from '../output/terminal.js';
import { presetsTable } from '../reports/tune.js';
import { chooseSpaces, type SpaceOptions } from '../search-space/choose-spaces.js';
import { addSpaceOptions } from './tune-settings.js';
import { addDelete } from './delete.js';

type SaveOptions = Omit<SpaceOptions, 'preset'> & GlobalOptions;

export function addPresets(program: Command): void {
  const list = serverAction<GlobalOptions>(listPresets);
  const presets = subcommand(program, 'presets', 'list, save and delete search spaces for toolmark tune params');
  listByDefault(presets, list).addHelpText(
    ...examples('toolmark presets', 'toolmark presets save Sampling --space temperature=0..1/0.25'),
  );
  subcommand(presets, 'list', 'list presets')
    .action(list)
    .addHelpText(...examples('toolmark presets list'));
  addSpaceOptions(subcommand(presets, 'save', 'save a search space').argument('<name>', 'what to call it'))
    .action(serverAction<SaveOptions, [string]>(savePreset))
    .addHelpText(...examples('toolmark presets save Choices --space tool_choice=auto,required --space top_p=0.5,1'));
  addDelete(
    presets,
    'preset',
    ['delete a preset', 'toolmark presets delete "Old preset"'],
    ['<preset>', 'name, id or id prefix of a preset'],
    async (client, wanted) => `${PRESETS_ROUTE}/${await findPreset(client, wanted)}`,
  );
}

async function listPresets(client: ApiClient, options: GlobalOptions): Promise<void> {
  const items = await readAll<ParamPreset>(client, PRESETS_ROUTE);
  printList({ items }, options, 'No presets. Save a search space: toolmark presets save --help', presetsTable);
}

async function savePreset(client: ApiClient, options: SaveOptions, name: string): Promise<void> {
  const { search_space, per_model_search_spaces: own } = await chooseSpaces(client, options);
  if (own !== undefined) throw new Error('A preset holds one search space, but the file has search spaces per model.');
  const preset = await client.call<ParamPreset>('POST', PRESETS_ROUTE, { name, search_space });
  if (options.json) printJson(preset);
  else print(`Saved preset ${preset.id} (${preset.name})`);
}
