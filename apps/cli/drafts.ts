import type { ApiClient } from '#lib/client/api-client';
import type { Case } from '#lib/contracts/case';
import { parseJson, type JsonObject } from '#lib/contracts/json/json';
import type { Page } from '#lib/contracts/page';
import { findSuite } from './find-suite.js';
import { table } from './show.js';
import { say, sayJson } from './terminal.js';
import type { Options } from './main.js';

/** The cases that a machine made and nobody has confirmed, and where each came from. */
export async function listDrafts(client: ApiClient, suite: string, options: Options): Promise<void> {
  const drafts = await draftsOf(client, await findSuite(client, suite));
  if (options.json) return sayJson(drafts, 2);
  const rows = drafts.map((draft) => [
    draft.id,
    draft.name ?? draft.prompt?.slice(0, 60) ?? '',
    expectationOf(draft),
    draft.source ?? '',
  ]);
  say(...(rows.length ? table(rows) : ['The suite has no drafts.']));
  if (rows.length)
    say(
      '',
      'Look at them (--json shows all of it). Those that are right take part once they are ' +
        `confirmed: toolmark suites confirm ${suite} CASE ...`,
    );
}

/** Takes `draft` away, of each of these or of none. */
export async function confirmDrafts(client: ApiClient, suite: string, caseIds: string[]): Promise<void> {
  const suiteId = await findSuite(client, suite);
  const drafts = new Map((await draftsOf(client, suiteId)).map((draft) => [draft.id, draft]));
  const missing = caseIds.find((id) => !drafts.has(id));
  if (missing !== undefined)
    throw new Error(`"${missing}" is no draft of the suite. Its drafts: toolmark suites drafts ${suite}`);
  for (const id of new Set(caseIds)) {
    const { id: _id, position: _position, draft: _draft, ...input } = drafts.get(id)! as Case & JsonObject;
    await client.call('PUT', `/api/tool-suites/${suiteId}/cases/${id}`, input);
    say(`Confirmed ${id}`);
  }
}

/** With the numbers as they were written, since they are sent back. */
async function draftsOf(client: ApiClient, suiteId: string): Promise<Case[]> {
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

function expectationOf({ expected_tool: tool, expected_calls: calls, expected_params: params }: Case): string {
  const all = calls ?? (tool ? [{ tool, params }] : []);
  return all.length
    ? all
        .map((call) => `${[call.tool].flat().join(' or ')}(${JSON.stringify(call.params ?? {}).slice(1, -1)})`)
        .join(', ')
        .slice(0, 100)
    : 'no call';
}
