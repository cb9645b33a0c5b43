import { queryOptions } from '@tanstack/react-query';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { reverseDiff } from '#lib/contracts/prompt-diff';
import type { ComponentDiff, PromptDiff, PromptVersion, PromptVersionHead } from '#lib/contracts/prompt-version';
import type { Suite } from '#lib/contracts/suite';
import type { Sent } from '../../api/action';
import { client, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { changeSuite } from '../suites/api';

const VERSIONS = '/api/prompt-versions';
const LIST_PAGE = 50;
/** How many versions of a suite are offered, newest first. */
const CHOICES = 200;
/** The suite's current texts, in place of a version. */
export const SUITE_NOW = 'suite';
const pathOf = (id: string): string => `${VERSIONS}/${encodeURIComponent(id)}`;

interface VersionFilter {
  suite?: string;
  tag?: string;
  after?: string;
}

export const promptVersionsQuery = ({ suite, tag, after }: VersionFilter) =>
  readQuery<Page<PromptVersionHead>>(
    keys.promptLists,
    pathWith(VERSIONS, { limit: LIST_PAGE, suite_id: suite, tag, cursor: after }),
  );

/** The versions of a suite to choose from; the newest 200. */
export const promptChoicesQuery = (suiteId: string) => ({
  ...readQuery<Page<PromptVersionHead>>(keys.promptLists, pathWith(VERSIONS, { limit: CHOICES, suite_id: suiteId })),
  enabled: suiteId !== '',
});

export const promptVersionQuery = (id: string) => readQuery<PromptVersion>(keys.prompt(id), pathOf(id));

/** The differences from another version, or from the current suite, to this one. */
export const promptDiffQuery = (id: string, from: string) =>
  queryOptions({
    queryKey: [...keys.prompt(id), 'from', from],
    queryFn: ({ signal }) => readDiff(id, from, signal),
  });

async function readDiff(id: string, from: string, signal: AbortSignal): Promise<ComponentDiff[]> {
  const { components } = await read<PromptDiff>(pathWith(`${pathOf(id)}/diff`, { to: from }))({ signal });
  return reverseDiff(components);
}

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
  // Queries are in the page's first chunk, and this is for one button.
  const { suiteUpdate } = await import('#lib/contracts/prompt-components');
  return changeSuite(suiteId, suiteUpdate(suite, version.components) as JsonObject, options);
}

export const createPromptVersion = (input: Json, options: Sent): Promise<PromptVersion> =>
  client.call('POST', VERSIONS, input, options);

export const namePromptVersion = ({ id, names }: { id: string; names: Json }, options: Sent): Promise<PromptVersion> =>
  client.call('PATCH', pathOf(id), names, options);

export const deletePromptVersion = (id: string, options: Sent): Promise<void> =>
  client.call('DELETE', pathOf(id), undefined, options);

export const refreshPrompts = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.promptLists });
