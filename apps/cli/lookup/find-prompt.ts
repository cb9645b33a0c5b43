import type { ApiClient } from '#lib/client/api-client';
import type { PromptVersion, PromptVersionHead } from '#lib/contracts/prompt-version';
import { findSuite } from './find-named.js';
import { isIdPrefix, isWholeId, startsWithId, onlyMatch } from './match.js';
import { readAll } from './read-list.js';

export const PROMPTS_ROUTE = '/api/prompt-versions';

/** The path of the list of prompt versions: of all suites, or of one. */
export async function promptsPath(client: ApiClient, suite: string | undefined): Promise<string> {
  return suite === undefined ? PROMPTS_ROUTE : `${PROMPTS_ROUTE}?suite_id=${await findSuite(client, suite)}`;
}

/**
 * Finds a prompt version by its tag, label, id or an id prefix.
 * @param suite name or id of the suite to search; undefined for any
 */
export async function readPrompt(client: ApiClient, wanted: string, suite?: string): Promise<PromptVersion> {
  return client.call('GET', `${PROMPTS_ROUTE}/${await findPrompt(client, wanted, suite)}`);
}

export async function findPrompt(client: ApiClient, wanted: string, suite?: string): Promise<string> {
  if (isWholeId(wanted)) return wanted;
  const all = await readAll<PromptVersionHead>(client, await promptsPath(client, suite));
  const matchers: ((version: PromptVersionHead) => boolean)[] = [
    ({ tags }) => tags.includes(wanted),
    ({ label }) => label !== '' && label.toLowerCase() === wanted.toLowerCase(),
    ({ id }) => isIdPrefix(wanted) && startsWithId(id, wanted),
  ];
  const found = matchers.map((matches) => all.filter(matches)).find(({ length }) => length > 0) ?? [];
  return onlyMatch(found, {
    none: () => `No prompt version has the tag, label or id "${wanted}". See them: toolmark prompts`,
    several: (count) =>
      `${count} prompt versions match "${wanted}". Name the suite with --suite, or give the id of one:`,
    each: (one) => `${one.id} (${one.label || 'no label'}, suite ${one.suite_id}, ${one.created_at})`,
  }).id;
}
