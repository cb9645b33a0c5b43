import { Inject, Injectable } from '@nestjs/common';
import type { McpSyncAnswer, McpSyncInput, McpSyncQuery } from '#lib/contracts/mcp';
import { ProblemError } from '#lib/contracts/input/problem';
import type { Suite } from '#lib/contracts/suite';
import type { Tool } from '#lib/contracts/tool';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { CaseRepository } from '#lib/db/catalogue/cases';
import { McpSourceRepository } from '#lib/db/catalogue/mcp-sources';
import { SuiteChanged, SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import { applyDiff, compareTools } from '#lib/mcp/compare-tools';
import type { Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { SuiteThreads } from '../threads/suite-threads.js';
import { SuiteValidator } from '../suites/suite-validator.js';
import { checkToolLimits } from './select-tools.js';
import { ServerTools, suiteNames } from './server-tools.js';

/** Maximum number of cases listed for each changed tool. */
const MAX_LISTED_CASES = 1000;

const WAY_OUT = ' Change or delete it first, or keep the removed tools.';

const MAX_NAMED_TOOLS = 20;

/** A server without tools is more likely faulty than actually empty. */
const listsNothing = (known: number): ProblemError =>
  new ProblemError(
    422,
    `The server lists no tools now; it had ${known}. The suite was not changed. Check the server and the ` +
      'permissions of the token.',
  );

/** The suite's tools with these names. */
function namesIn(tools: readonly Tool[], names: readonly string[]): string[] {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return tools.map((tool) => tool.function.name).filter((name) => wanted.has(name.toLowerCase()));
}

function keptWarning(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED_TOOLS).map((name) => `"${name}"`);
  const more = names.length - named.length;
  return (
    `The suite keeps its own ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}: the server still has ` +
    `${names.length === 1 ? 'the tool, but it' : 'the tools, but they'} cannot be used as listed.`
  );
}

type ToolDiff = ReturnType<typeof compareTools>;

/** Compares suites with the MCP servers that their tools were read from, and updates them. */
@Injectable()
export class McpSyncService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteThreads: SuiteThreads,
    readonly serverTools: ServerTools,
    readonly validator: SuiteValidator,
  ) {}

  /**
   * Unlike other changes, this one is not retried when the suite was changed concurrently: the user approved the
   * difference that they saw.
   */
  async sync(
    caller: Caller,
    suiteId: string,
    query: McpSyncQuery,
    input: McpSyncInput,
    change: Change,
  ): Promise<McpSyncAnswer> {
    try {
      return await this.#sync(caller, suiteId, query, input, change);
    } catch (error) {
      if (!(error instanceof SuiteChanged)) throw error;
      throw new ProblemError(409, 'Someone else changed the suite in the meantime. Compare again.').as(
        'changed_meanwhile',
      );
    }
  }

  async #sync(
    caller: Caller,
    suiteId: string,
    { apply, keep_removed: keepRemoved }: McpSyncQuery,
    input: McpSyncInput,
    change: Change,
  ): Promise<McpSyncAnswer> {
    const { teamId } = caller;
    const suite = await new SuiteRepository(this.pool, teamId).read(suiteId);
    const source = await new McpSourceRepository(this.pool, teamId).find(suite.id);
    const url = input.url ?? source?.url;
    if (url === undefined)
      throw new ProblemError(409, 'The tools of this suite were not read from an MCP server. Give its address.').as(
        'mcp_no_source',
      );
    const {
      server,
      tools: listed,
      ...read
    } = await this.serverTools.read(teamId, {
      url,
      headers: input.headers,
      transport: input.transport ?? source?.transport ?? 'auto',
    });
    const known = source?.toolNames ?? [];
    if (listed.length + read.leftOut.length === 0 && known.length > 0) throw listsNothing(known.length);
    const { tools: now, leftOut, warnings } = await this.serverTools.usable(teamId, listed, read);
    const unusable = leftOut.flatMap((tool) => suiteNames([tool]));
    const diff = compareTools(suite.tools, known, now, unusable);
    const kept = namesIn(suite.tools, unusable);
    if (kept.length > 0) warnings.push(keptWarning(kept));
    warnings.push(...(await this.#listConcernedCases(teamId, suite, diff)));
    if (!apply) return { server, ...diff, applied: false, version: suite.version, warnings };

    const tools = applyDiff(suite.tools, diff, keepRemoved);
    const isChanged = diff.added.length + diff.changed.length + (keepRemoved ? 0 : diff.removed.length) > 0;
    if (isChanged) warnings.push(...(await this.#checkTools(teamId, suite, tools)));
    return change(async (client) => {
      const suites = new SuiteRepository(client, teamId);
      const updated = isChanged ? await suites.update(suite.id, { tools }, suite.version) : undefined;
      const toolNames = [
        ...now.map((tool) => tool.function.name),
        ...unusable.filter((name) => known.some((before) => before.toLowerCase() === name.toLowerCase())),
      ];
      const saved = await new McpSourceRepository(client, teamId).save(suite.id, { ...server, url, toolNames });
      await audit(client, caller, 'suite.update', suite.id, {
        before: { ...updated?.before, ...saved.before },
        after: { ...updated?.after, ...saved.after },
      });
      return { server, ...diff, applied: true, version: suite.version + (isChanged ? 1 : 0), warnings };
    });
  }

  /** @returns warnings; @throws ProblemError 422, SuiteChanged */
  async #checkTools(teamId: string, suite: Suite, tools: Tool[]): Promise<string[]> {
    checkToolLimits(tools, suite.tools);
    await this.validator.checkTools(teamId, tools);
    return [
      ...(await this.validator.checkStoredCases(teamId, suite, { tools }, WAY_OUT)),
      ...(await this.validator.hostWarnings(teamId, tools)),
    ];
  }

  /**
   * Adds to each difference the first cases that it affects.
   * @returns a warning when there are more
   */
  async #listConcernedCases(teamId: string, suite: Suite, diff: ToolDiff): Promise<string[]> {
    const concerned = new Map([...diff.removed, ...diff.changed].map(({ name, cases }) => [name, cases]));
    if (concerned.size === 0) return [];
    const names = [...concerned.keys()];
    let unlisted = 0;
    for await (const page of new CaseRepository(this.pool, teamId).pages(suite.id, suite.version)) {
      const cases = page.map(({ body }) => body);
      const found = await this.suiteThreads.run(teamId, { what: 'find-uses', names, cases });
      for (const { index, name, uses } of found) {
        const { id, position } = page[index]!;
        for (const list of uses.map((use) => concerned.get(use)!)) {
          if (list.length < MAX_LISTED_CASES) list.push({ id, position, name });
          else unlisted++;
        }
      }
    }
    if (unlisted === 0) return [];
    return [`Only the first ${MAX_LISTED_CASES} affected cases of a difference are listed; ${unlisted} more are not.`];
  }
}
