import { queryOptions } from '@tanstack/react-query';
import type { Json } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { reverseDiff } from '#lib/contracts/prompt-diff';
import type { ComponentDiff, PromptDiff, PromptVersion, PromptVersionHead } from '#lib/contracts/prompt-version';
import type { Sent } from '../../api/action';
import { client, pathWith, read, readQuery } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';

const VERSIONS = '/api/prompt-versions';
const LIST_PAGE = 50;
/** How many versions of a suite are offered, newest first. */
const CHOICES = 200;
/** The suite's current texts, in place of a version. */
export const SUITE_NOW = 'suite';
export const pathOf = (id: string): string => `${VERSIONS}/${encodeURIComponent(id)}`;

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

export async function readDiff(id: string, from: string, signal: AbortSignal): Promise<ComponentDiff[]> {
  const { components } = await read<PromptDiff>(pathWith(`${pathOf(id)}/diff`, { to: from }))({ signal });
  return reverseDiff(components);
}

export const createPromptVersion = (input: Json, options: Sent): Promise<PromptVersion> =>
  client.call('POST', VERSIONS, input, options);

export const namePromptVersion = ({ id, names }: { id: string; names: Json }, options: Sent): Promise<PromptVersion> =>
  client.call('PATCH', pathOf(id), names, options);

export const deletePromptVersion = (id: string, options: Sent): Promise<void> =>
  client.call('DELETE', pathOf(id), undefined, options);

export const refreshPrompts = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.promptLists });
