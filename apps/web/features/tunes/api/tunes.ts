import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Page } from '#lib/contracts/page';
import type { ParamTune, ParamTuneEstimate, ParamTuneSubmitted, TuneArm } from '#lib/param-tune/contract';
import { client, estimateQuery, readQuery } from '../../../api/client';
import { keys } from '../../../api/keys';

const TUNES = '/api/tool-eval/param-tune';
const LIST_PAGE = 50;
const ARMS_PAGE = 200;
type Sent = { idempotencyKey: string };

export const tunesQuery = (cursor: string | undefined) => ({
  ...readQuery<Page<ParamTune>>(
    [...keys.tuneLists, cursor],
    `${TUNES}/history?${new URLSearchParams({ limit: String(LIST_PAGE), ...(cursor && { cursor }) })}`,
  ),
  placeholderData: keepPreviousData,
});

export const tuneQuery = (id: string) => readQuery<ParamTune>(keys.tune(id), `${TUNES}/history/${id}`);

/** All arms of a tune, up to 10,000: fetched page by page, since the API lists them only by number. */
export const armsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.arms(id),
    queryFn: async ({ signal }) => {
      const arms: TuneArm[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = new URLSearchParams({ limit: String(ARMS_PAGE), ...(cursor && { cursor }) });
        const path = `${TUNES}/history/${id}/combos?${query}`;
        const page: Page<TuneArm> = await client.call('GET', path, undefined, { signal });
        arms.push(...page.items);
        cursor = page.next_cursor;
      }
      return arms;
    },
  });

/** @param body the text of a ParamTuneInput; undefined while there is nothing to estimate */
export const tuneEstimateQuery = (body: string | undefined) =>
  estimateQuery<ParamTuneEstimate>(keys.tunes, `${TUNES}/estimate`, body);

export const submitTune = (body: string, options: Sent) =>
  client.call<ParamTuneSubmitted>('POST', TUNES, body, options);
export const deleteTune = (id: string, options: Sent) =>
  client.call<void>('DELETE', `${TUNES}/history/${id}`, undefined, options);
