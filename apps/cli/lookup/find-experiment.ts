import type { ApiClient } from '#lib/client/api-client';
import type { Experiment } from '#lib/contracts/experiment';
import { findNamed } from './find-named.js';

/** The id of an experiment, archived or not, by its name, its id or an id prefix. */
export const findExperiment = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<Experiment>(client, wanted, {
    what: 'experiment',
    path: '/api/experiments?status=all',
    describe: ({ name, status, suite_name: suite, created_at: at }) =>
      `${name}, ${status}, over ${suite ?? 'a deleted suite'}, ${at}`,
  });
