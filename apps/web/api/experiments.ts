import { queryOptions } from '@tanstack/react-query';
import type { Experiment } from '#lib/contracts/experiment';
import type { Page } from '#lib/contracts/page';
import { client } from './client';
import { keys } from './keys';

/** The active experiments over a suite; the first 200. */
export const experimentsOfSuiteQuery = (suiteId: string) =>
  queryOptions({
    queryKey: [...keys.experiments, 'of suite', suiteId],
    queryFn: ({ signal }) =>
      client.call<Page<Experiment>>('GET', `/api/experiments?limit=200&suite_id=${suiteId}`, undefined, { signal }),
    enabled: suiteId !== '',
  });

export const experimentQuery = (id: string) =>
  queryOptions({
    queryKey: keys.experiment(id),
    queryFn: ({ signal }) => client.call<Experiment>('GET', `/api/experiments/${id}`, undefined, { signal }),
  });

export const createExperiment = (
  input: { name: string; suite_id: string },
  options: { idempotencyKey: string },
): Promise<Experiment> => client.call('POST', '/api/experiments', input, options);
