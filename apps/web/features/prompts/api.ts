import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { suiteUpdate } from '#lib/contracts/prompt-components';
import { reverseDiff } from '#lib/contracts/prompt-diff';
import type { ComponentDiff, PromptDiff, PromptVersion, PromptVersionHead } from '#lib/contracts/prompt-version';
import type { Suite } from '#lib/contracts/suite';
import { client, readQuery, read } from '../../api/client';
import { keys } from '../../api/keys';
import { changeSuite } from '../suites/api/suites';

const VERSIONS = '/api/prompt-versions';
const LIST_PAGE = 50;
/** How many versions of a suite are offered, newest first. */
const CHOICES = 200;
/** The suite's current texts, in place of a version. */
export const SUITE_NOW = 'suite';
type Sent = { idempotencyKey: string };

interface VersionFilter {
  suite?: string;
  tag?: string;
  after?: string;
}

export const promptVersionsQuery = ({ suite, tag, after }: VersionFilter) => {
  const query = new URLSearchParams({
    limit: String(LIST_PAGE),
    ...(suite && { suite_id: suite }),
    ...(tag && { tag }),
    ...(after && { cursor: after }),
  });
  return queryOptions({
    queryKey: [...keys.promptLists, String(query)],
    queryFn: read<Page<PromptVersionHead>>(`${VERSIONS}?${query}`),
    placeholderData: keepPreviousData,
  });
};

/** The versions of a suite to choose from; the newest 200. */
export const promptChoicesQuery = (suiteId: string) =>
  queryOptions({
    queryKey: [...keys.promptLists, 'of suite', suiteId],
    queryFn: read<Page<PromptVersionHead>>(`${VERSIONS}?limit=${CHOICES}&suite_id=${suiteId}`),
    enabled: suiteId !== '',
  });

export const promptVersionQuery = (id: string) => readQuery<PromptVersion>(keys.prompt(id), `${VERSIONS}/${id}`);

/** The differences from another version, or from the current suite, to this one. */
export const promptDiffQuery = (id: string, from: string) =>
  queryOptions({
    queryKey: [...keys.prompt(id), 'from', from],
    queryFn: async ({ signal }): Promise<ComponentDiff[]> => {
      const diff = await client.call<PromptDiff>('GET', `${VERSIONS}/${id}/diff?to=${from}`, undefined, { signal });
      return reverseDiff(diff.components);
    },
  });

export interface PromptUse {
  suite: Suite;
  components: ComponentDiff[];
}

/** What a suite would take over from a version. The suite is read first, so that a later change to it is detected. */
export const promptUseQuery = (id: string, suiteId: string) =>
  queryOptions({
    queryKey: [...keys.prompt(id), 'use'],
    queryFn: async ({ signal }): Promise<PromptUse> => {
      const suite = await readSuite(suiteId, signal);
      const diff = await client.call<PromptDiff>('GET', `${VERSIONS}/${id}/diff?to=${SUITE_NOW}`, undefined, {
        signal,
      });
      return { suite, components: reverseDiff(diff.components) };
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
  const [version, suite] = await Promise.all([
    client.call<PromptVersion>('GET', `${VERSIONS}/${id}`),
    readSuite(suiteId),
  ]);
  if (suite.version !== seen)
    throw new Error(`The suite has changed: it is now version ${suite.version}. Close this dialog and try again.`);
  return changeSuite(suiteId, suiteUpdate(suite, version.components) as JsonObject, options);
}

export const createPromptVersion = (input: Json, options: Sent) =>
  client.call<PromptVersion>('POST', VERSIONS, input, options);
export const namePromptVersion = ({ id, ...names }: { id: string; label?: string; tags?: string[] }, options: Sent) =>
  client.call<PromptVersion>('PATCH', `${VERSIONS}/${id}`, names, options);
export const deletePromptVersion = (id: string, options: Sent) =>
  client.call<void>('DELETE', `${VERSIONS}/${id}`, undefined, options);
