import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Json } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import type { ParamPreset } from '#lib/param-tune/contract';
import { client, readQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

const PRESETS = '/api/param-presets';
type Sent = { idempotencyKey: string };

/** The team's saved search spaces; the newest 200. */
export const presetsQuery = readQuery<Page<ParamPreset>>(keys.presets, `${PRESETS}?limit=200`);

export const createPreset = (input: { name: string; search_space: Json }, options: Sent) =>
  client.call<ParamPreset>('POST', PRESETS, stringifyInSourceOrder(input), options);
export const deletePreset = (id: string, options: Sent) =>
  client.call<void>('DELETE', `${PRESETS}/${id}`, undefined, options);
