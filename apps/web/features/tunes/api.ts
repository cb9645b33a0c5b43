import { queryOptions } from '@tanstack/react-query';
import type { Json } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import type { Page } from '#lib/contracts/page';
import type { ParamPreset, ParamTune, ParamTuneEstimate, ParamTuneSubmitted, TuneArm } from '#lib/param-tune/contract';
import type { Sent } from '../../api/action';
import { client, estimateQuery, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';

const PRESETS = '/api/param-presets';
const LIST_PAGE = 50;
const ARMS_PAGE = 200;

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

/** All arms of a tune, up to 10,000: fetched page by page, since the API lists them only by number. */
export const armsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.arms(id),
    queryFn: async ({ signal }) => {
      const arms: TuneArm[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const path = pathWith(`${paramTunes.pathOf(id)}/combos`, { limit: ARMS_PAGE, cursor });
        const page: Page<TuneArm> = await read<Page<TuneArm>>(path)({ signal });
        arms.push(...page.items);
        cursor = page.next_cursor;
      }
      return arms;
    },
  });

/** The team's saved search spaces; the newest 200. */
export const presetsQuery = readQuery<Page<ParamPreset>>(keys.presets, pathWith(PRESETS, { limit: 200 }));

export const createPreset = (input: { name: string; search_space: Json }, options: Sent): Promise<ParamPreset> =>
  client.call('POST', PRESETS, stringifyInSourceOrder(input), options);

export const deletePreset = (id: string, options: Sent): Promise<void> =>
  client.call('DELETE', `${PRESETS}/${encodeURIComponent(id)}`, undefined, options);

export const refreshPresets = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.presets });
