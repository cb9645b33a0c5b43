import { queryOptions } from '@tanstack/react-query';
import type { JsonObject } from '#lib/contracts/json/json';
import { suiteUpdate } from '#lib/contracts/prompt-components';
import type { PromptVersion } from '#lib/contracts/prompt-version';
import type { Suite } from '#lib/contracts/suite';
import type { Sent } from '../../api/action';
import { client } from '../../api/client';
import { keys } from '../../api/keys';
import { changeSuite } from '../suites/api';
import { pathOf, readDiff, SUITE_NOW } from './api';

/** What a suite would take over from a version. The suite is read first, so that a later change to it is detected. */
export const promptUseQuery = (id: string, suiteId: string) =>
  queryOptions({
    queryKey: [...keys.prompt(id), 'use', suiteId],
    queryFn: async ({ signal }) => {
      const suite = await readSuite(suiteId, signal);
      return { suite, components: await readDiff(id, SUITE_NOW, signal) };
    },
    staleTime: 0,
    gcTime: 0,
  });

const readSuite = (id: string, signal?: AbortSignal): Promise<Suite> =>
  client.call<Suite>('GET', `/api/tool-suites/${id}?cases=false`, undefined, { signal });

/**
 * Puts the texts of a version into a suite.
 * @param input `seen`: the suite version that the user saw
 * @throws Error if the suite has changed since
 */
export async function putInSuite({ id, suiteId, seen }: { id: string; suiteId: string; seen: number }, options: Sent) {
  const [version, suite] = await Promise.all([client.call<PromptVersion>('GET', pathOf(id)), readSuite(suiteId)]);
  if (suite.version !== seen)
    throw new Error(`The suite has changed: it is now version ${suite.version}. Close this dialog and try again.`);
  return changeSuite(suiteId, suiteUpdate(suite, version.components) as JsonObject, options);
}
