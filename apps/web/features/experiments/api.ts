import { queryOptions } from '@tanstack/react-query';
import type { Experiment, RunBestSubmitted, TimelineEntry } from '#lib/contracts/experiment';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import type { Trends } from '#lib/contracts/trend';
import type { Sent } from '../../api/action';
import { client, pathWith, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import type { ExperimentsSearch } from './address';

const ROUTE = '/api/experiments';
const pathOf = (id: string): string => `${ROUTE}/${encodeURIComponent(id)}`;

/** The active experiments over a suite; the first 200. */
export const experimentsOfSuiteQuery = (suiteId: string) => ({
  ...readQuery<Page<Experiment>>(keys.experiments, pathWith(ROUTE, { limit: 200, suite_id: suiteId })),
  enabled: suiteId !== '',
});

const CHOICES = 20;
/** Active experiments over a suite to choose from, the newest first. @param name part of the name; empty for all */
export const experimentChoicesQuery = (suiteId: string, name: string) =>
  readQuery<Page<Experiment>>(
    [...keys.experiments, 'choices'],
    pathWith(ROUTE, { limit: CHOICES, suite_id: suiteId, name }),
  );

const PAGE = 50;
export const experimentsQuery = ({ status, suite, after }: ExperimentsSearch) =>
  readQuery<Page<Experiment>>(
    keys.experiments,
    pathWith(ROUTE, { limit: PAGE, status, suite_id: suite, cursor: after }),
  );

/** Polling interval while an experiment's comparisons are recomputed. */
const REFRESHING_MS = 2000;

export const experimentQuery = (id: string) =>
  queryOptions({
    ...readQuery<Experiment>(keys.experiment(id), pathOf(id)),
    refetchInterval: ({ state }) => (state.data?.refreshing ? REFRESHING_MS : false),
  });

const TIMELINE_PAGE = 200;
/** Maximum number of timeline pages drawn at once. */
const TIMELINE_PAGES = 5;

/** The timeline from the beginning, or after an earlier part: up to a thousand entries. */
export const timelineQuery = (id: string, after: string | undefined) =>
  queryOptions({
    queryKey: [...keys.experiment(id), 'timeline', after],
    queryFn: async ({ signal }): Promise<Page<TimelineEntry>> => {
      const items: TimelineEntry[] = [];
      let cursor: string | null = after ?? '';
      for (let page = 0; cursor !== null && page < TIMELINE_PAGES; page++) {
        const path = pathWith(`${pathOf(id)}/timeline`, { limit: TIMELINE_PAGE, cursor });
        const read: Page<TimelineEntry> = await client.call('GET', path, undefined, { signal });
        items.push(...read.items);
        cursor = read.next_cursor;
      }
      return { items, next_cursor: cursor };
    },
  });

/** How the models of an experiment went. */
export const modelTrendsQuery = (id: string) =>
  readQuery<Trends>([...keys.experiment(id), 'trend'], pathWith('/api/trends', { experiment_id: id }));

/** An ExperimentInput, with its numbers as typed. */
export type NewExperiment = JsonObject & { name: string; suite_id: string };
export const createExperiment = (input: NewExperiment, options: Sent): Promise<Experiment> =>
  client.call('POST', ROUTE, JSON.stringify(input), options);

interface ExperimentChange {
  id: string;
  change: { name?: string; description?: string; status?: Experiment['status'] };
}
export const changeExperiment = ({ id, change }: ExperimentChange, options: Sent): Promise<Experiment> =>
  client.call('PUT', pathOf(id), change, options);

export const pinBaseline = ({ id, evalId }: { id: string; evalId: string }, options: Sent): Promise<Experiment> =>
  client.call('PUT', `${pathOf(id)}/baseline`, { eval_id: evalId }, options);

/** @param input a RunBestInput, with its numbers as typed */
export const runBest = ({ id, input }: { id: string; input: Json }, options: Sent): Promise<RunBestSubmitted> =>
  client.call('POST', `${pathOf(id)}/run-best`, JSON.stringify(input), options);

export const deleteExperiment = (id: string, options: Sent): Promise<void> =>
  client.call('DELETE', pathOf(id), undefined, options);

/** Refreshes experiments after one changed: the deltas of its runs change with it. */
export async function refreshExperiments(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keys.experiments }),
    queryClient.invalidateQueries({ queryKey: keys.runs }),
  ]);
}
