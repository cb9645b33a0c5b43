import { queryOptions } from '@tanstack/react-query';
import type { Json } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Page } from '#lib/contracts/page';
import type {
  ParamPreset,
  ParamTune,
  ParamTuneEstimate,
  ParamTuneSubmitted,
  TuneArm,
  TuneSpace,
} from '#lib/param-tune/contract';
import type { Sent } from '../../api/action';
import { client, estimateQuery, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { armsIn } from './parts/arms';

const PRESETS = '/api/param-presets';
const LIST_PAGE = 50;

/** The tunes of a kind: a list, one of them, an estimate, a new one, names, and deletion. */
export const tunesAt = <Tune, Estimate>(route: string) => {
  const pathOf = (id: string): string => `${route}/history/${encodeURIComponent(id)}`;
  return {
    pathOf,
    listQuery: (after: string | undefined) =>
      readQuery<Page<Tune>>(keys.tuneLists, pathWith(`${route}/history`, { limit: LIST_PAGE, cursor: after })),
    query: (id: string) => readQuery<Tune>(keys.tune(id), pathOf(id)),
    /** @param body the text of the request; undefined while there is nothing to estimate */
    estimateQuery: (body: string | undefined) => estimateQuery<Estimate>(keys.tunes, `${route}/estimate`, body),
    submit: (body: string, options: Sent): Promise<ParamTuneSubmitted> => client.call('POST', route, body, options),
    label: ({ id, name }: { id: string; name: string | null }, options: Sent): Promise<Tune> =>
      client.call('PATCH', pathOf(id), { name }, options),
    remove: (id: string, options: Sent): Promise<void> => client.call('DELETE', pathOf(id), undefined, options),
  };
};

export const paramTunes = tunesAt<ParamTune, ParamTuneEstimate>('/api/tool-eval/param-tune');

/** All arms of a tune, up to 10,000. */
export const armsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.arms(id),
    queryFn: async (context) => armsIn(await read<TuneSpace>(`${paramTunes.pathOf(id)}/space`)(context)),
  });

/** One of them with its request and its runs; null if there is none. */
export const armQuery = (id: string, target: string, arm: number) =>
  queryOptions({
    queryKey: [...keys.arms(id), target, arm],
    queryFn: async (context) => {
      const path = pathWith(`${paramTunes.pathOf(id)}/combos`, { target, arm, limit: 1 });
      return (await read<Page<TuneArm>>(path)(context)).items[0] ?? null;
    },
  });

/** The team's saved search spaces; the newest 200. */
export const presetsQuery = readQuery<Page<ParamPreset>>(keys.presets, pathWith(PRESETS, { limit: 200 }));

export const createPreset = (input: { name: string; search_space: Json }, options: Sent): Promise<ParamPreset> =>
  client.call('POST', PRESETS, stringifyInSourceOrder(input), options);

export const deletePreset = (id: string, options: Sent): Promise<void> =>
  client.call('DELETE', `${PRESETS}/${encodeURIComponent(id)}`, undefined, options);

export const refreshPresets = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.presets });
