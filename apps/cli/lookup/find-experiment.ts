import type { ApiClient } from '#lib/client/api-client';
import type { Experiment } from '#lib/contracts/experiment';
import { findNamed } from './find-named.js';

/** The id of the experiment, archived or not, that a name, an id or the beginning of an id means. */
export const findExperiment = (client: ApiClient, wanted: string): Promise<string> =>
  findNamed<Experiment>(client, wanted, {
    what: 'experiment',
    path: '/api/experiments?status=all',
    describe: ({ name, status, suite_name: suite, created_at: at }) =>
      `${name}, ${status}, over ${suite ?? 'a deleted suite'}, ${at}`,
  });
