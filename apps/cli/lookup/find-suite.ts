import type { ApiClient } from '#lib/client/api-client';
import type { Suite } from '#lib/contracts/suite';
import { findNamed } from './find-named.js';

/**
 * The id of a suite by its name, its id or an id prefix.
 * @param also what else was searched, for the message
 */
export const findSuite = (client: ApiClient, wanted: string, also = ''): Promise<string> =>
  findNamed<Suite>(client, wanted, {
    what: 'suite',
    path: '/api/tool-suites',
    describe: ({ name, version, test_cases_count: cases, updated_at: at }) =>
      `${name} v${version}, ${cases} cases, changed ${at}`,
    also,
  });
