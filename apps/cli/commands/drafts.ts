import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Case } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findSuite } from '../lookup/find-named.js';
import { isIdPrefix, startsWithId, onlyMatch } from '../lookup/match.js';
import { printList } from '../lookup/read-list.js';
import { expectedText } from '../output/calls.js';
import { table } from '../output/table.js';
import { print, printJson } from '../output/terminal.js';

export function addDrafts(suites: Command, suiteHelp: string): void {
  subcommand(suites, 'drafts', 'list drafts: generated cases that nobody has confirmed yet')
    .argument('<suite>', suiteHelp)
    .action(serverAction<GlobalOptions, [string]>(listDrafts))
    .addHelpText(...examples('toolmark suites drafts "From production"'));
  subcommand(suites, 'confirm', 'confirm drafts so that runs include them: all of these, or none')
    .argument('<suite>', suiteHelp)
    .argument('<case...>', 'ids or id prefixes of drafts')
    .action(serverAction<GlobalOptions, [string, string[]]>(confirmDrafts))
    .addHelpText(...examples('toolmark suites confirm "From production" CASE'));
}

async function listDrafts(client: ApiClient, options: GlobalOptions, suite: string): Promise<void> {
  const items = await readDrafts(client, await findSuite(client, suite));
  printList({ items }, options, 'The suite has no drafts.', (drafts) => [
    ...table(
      drafts.map((draft) => [
        draft.id,
        draft.name ?? draft.prompt?.slice(0, 60) ?? '',
        expectationOf(draft),
        draft.source ?? '',
      ]),
    ),
    '',
    'Review them (--json shows every field), then confirm the correct ones so that runs include ' +
      `them: toolmark suites confirm ${suite} CASE ...`,
  ]);
}

async function confirmDrafts(
  client: ApiClient,
  options: GlobalOptions,
  suite: string,
  caseIds: string[],
): Promise<void> {
  const suiteId = await findSuite(client, suite);
  const drafts = await readDrafts(client, suiteId);
  const chosen = new Set(caseIds.map((id) => findDraft(drafts, id, suite)));
  const items: unknown[] = [];
  for (const draft of chosen) {
    const { id, position: _position, draft: _draft, ...input } = draft as Case & JsonObject;
    items.push(await client.call('PUT', `/api/tool-suites/${suiteId}/cases/${id}`, input));
    if (!options.json) print(`Confirmed ${id}`);
  }
  if (options.json) printJson({ items });
}

function findDraft(drafts: readonly Case[], wanted: string, suite: string): Case {
  const found = drafts.filter(({ id }) => id === wanted || (isIdPrefix(wanted) && startsWithId(id, wanted)));
  return onlyMatch(found, {
    none: () => `"${wanted}" is not a draft of the suite. List its drafts with: toolmark suites drafts ${suite}`,
    several: (count) => `${count} drafts begin with "${wanted}". Use a longer prefix:`,
    each: ({ id }) => id,
  });
}

/** Numbers are kept as they were written, since a confirmed case is sent back. */
async function readDrafts(client: ApiClient, suiteId: string): Promise<Case[]> {
  const drafts: Case[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const text = await client.text(
      `/api/tool-suites/${suiteId}/cases?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    const page = parseJson(text) as unknown as Page<Case>;
    drafts.push(...page.items.filter(({ draft }) => draft));
    cursor = page.next_cursor;
  }
  return drafts;
}

/** A short description of what a case expects. */
export const expectationOf = ({ expected_tool: tool, expected_calls: calls, expected_params: params }: Case): string =>
  expectedText({ tool, params, calls }).slice(0, 100);
