import type { ApiClient } from '#lib/client/api-client';
import type { ParamPreset } from '#lib/param-tune/contract';
import { NegativeAnswer } from '../exit-codes.js';
import { findNamed } from './find-named.js';

export const PRESETS_ROUTE = '/api/param-presets';

/** The id of the preset that a name, an id or the beginning of an id means. */
export const findPreset = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<ParamPreset>(client, wanted, {
    what: 'preset',
    path: PRESETS_ROUTE,
    describe: ({ name, created_at: at }) => `${name}, ${at}`,
  });

/** The preset itself. The API lists presets, and answers none alone. */
export async function readPreset(client: ApiClient, wanted: string): Promise<ParamPreset> {
  const id = await findPreset(client, wanted);
  for await (const preset of client.all<ParamPreset>(PRESETS_ROUTE)) if (preset.id === id) return preset;
  throw new NegativeAnswer(`No preset has the id "${id}".`);
}
