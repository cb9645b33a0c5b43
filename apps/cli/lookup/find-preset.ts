import type { ApiClient } from '#lib/client/api-client';
import type { ParamPreset } from '#lib/param-tune/contract';
import { NegativeAnswer } from '../exit-codes.js';
import { findNamed } from './find-named.js';

export const PRESETS_ROUTE = '/api/param-presets';

/** The id of a preset by its name, its id or an id prefix. */
export const findPreset = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<ParamPreset>(client, wanted, {
    what: 'preset',
    path: PRESETS_ROUTE,
    describe: ({ name, created_at: at }) => `${name}, ${at}`,
  });

/** The preset itself. The API has no endpoint for a single preset. */
export async function readPreset(client: ApiClient, wanted: string): Promise<ParamPreset> {
  const id = await findPreset(client, wanted);
  for await (const preset of client.all<ParamPreset>(PRESETS_ROUTE)) if (preset.id === id) return preset;
  throw new NegativeAnswer(`No preset has the id "${id}".`);
}
