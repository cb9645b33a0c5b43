import { Inject, Injectable } from '@nestjs/common';
import type { Case, CaseNeighbours, CaseInput } from '#lib/contracts/case';
import type { CaseResult, CaseVerdicts, CaseVerdictsQuery } from '#lib/contracts/case-result';
import { conversionWarnings } from '#lib/contracts/input/tool-shapes';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { CaseLabels, CasesQuery, ListedCase, Suite } from '#lib/contracts/suite';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { CaseRepository } from '#lib/db/catalogue/cases';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import { CaseResultRepository } from '#lib/db/read/case-results';
import { CaseVerdictRepository } from '#lib/db/read/case-verdicts';
import { LastVerdictRepository } from '#lib/db/read/last-verdicts';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import type { Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { retryOnSuiteChange } from './retry-on-suite-change.js';
import { SuiteValidator } from './suite-validator.js';

/** One case, a list, or `{cases: [...]}`: the bodies that add cases. */
export type AddedCases = CaseInput | CaseInput[] | { cases: CaseInput[] };

const MAX_WAITING_SEARCHES = 30;

const NOTHING: Page<ListedCase> = { items: [], next_cursor: null };

/** Manages the cases of a suite. */
@Injectable()
export class CaseService {
  /** By team. A search reads megabytes, and holds a connection to Postgres meanwhile. */
  readonly #searches = new KeyedSemaphore(
    2,
    MAX_WAITING_SEARCHES,
    `${MAX_WAITING_SEARCHES} searches of this team are queued already. Try again when some are done.`,
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly validator: SuiteValidator,
  ) {}

  async list({ teamId }: Caller, suiteId: string, query: CasesQuery): Promise<Page<ListedCase>> {
    const { failed, verdicts, ...page } = query;
    const last = new LastVerdictRepository(this.pool, teamId);
    const run = failed || verdicts ? await last.newestRun(suiteId) : undefined;
    const cases = new CaseRepository(this.pool, teamId);
    if (failed && !run) return cases.list(suiteId, { ...page, limit: 1 }).then(() => NOTHING);
    const list = () => cases.list(suiteId, { ...page, failedIn: failed ? run : undefined });
    const { items, next_cursor } = await (query.text === undefined ? list() : this.#searches.run(teamId, list));
    if (!verdicts) return { items, next_cursor };
    const byCase =
      run &&
      (await last.ofCases(
        run,
        items.map((one) => one.id),
      ));
    return { items: items.map((one) => ({ ...one, last_run: byCase?.get(one.id) ?? null })), next_cursor };
  }

  labels({ teamId }: Caller, suiteId: string): Promise<CaseLabels> {
    return new CaseRepository(this.pool, teamId).countLabels(suiteId);
  }

  read({ teamId }: Caller, suiteId: string, caseId: string): Promise<Case> {
    return new CaseRepository(this.pool, teamId).read(suiteId, caseId);
  }

  neighbours({ teamId }: Caller, suiteId: string, caseId: string): Promise<CaseNeighbours> {
    return new CaseRepository(this.pool, teamId).neighbours(suiteId, caseId);
  }

  results(
    { teamId }: Caller,
    { suiteId, caseId, model }: { suiteId: string; caseId: string; model: string | undefined },
    page: PageQuery,
  ): Promise<Page<CaseResult>> {
    return new CaseResultRepository(this.pool, teamId).list(suiteId, caseId, model, page);
  }

  verdicts({ teamId }: Caller, suiteId: string, caseId: string, query: CaseVerdictsQuery): Promise<CaseVerdicts> {
    return new CaseVerdictRepository(this.pool, teamId).read(suiteId, caseId, query);
  }

  /** @returns the case if a single one was given, `items` otherwise; with `warnings` */
  add(caller: Caller, suiteId: string, input: AddedCases, change: Change) {
    const { cases, isSingle, pathOf } = casesOf(input);
    return this.#withSuite(caller, suiteId, async (suite) => {
      const warnings = await this.#check(caller.teamId, cases, suite, pathOf);
      return change(async (client) => {
        const { added: items, ...changed } = await new CaseRepository(client, caller.teamId).add(suiteId, cases, suite);
        await audit(client, caller, 'suite.add-cases', suiteId, changed);
        return isSingle ? { ...items[0], warnings } : { items, warnings };
      });
    });
  }

  replace(caller: Caller, suiteId: string, caseId: string, input: CaseInput, change: Change) {
    return this.#withSuite(caller, suiteId, async (suite) => {
      const warnings = await this.#check(caller.teamId, [input], suite, () => '');
      return change(async (client) => {
        const repository = new CaseRepository(client, caller.teamId);
        const { replaced, ...changed } = await repository.replace(suiteId, caseId, input, suite);
        await audit(client, caller, 'suite.replace-case', `${suiteId} ${caseId}`, changed);
        return { ...replaced, warnings };
      });
    });
  }

  delete(caller: Caller, suiteId: string, caseId: string, change: Change): Promise<void> {
    return change(async (client) => {
      const before = await new CaseRepository(client, caller.teamId).delete(suiteId, caseId);
      await audit(client, caller, 'suite.delete-case', `${suiteId} ${caseId}`, { before });
    });
  }

  #withSuite<Made>({ teamId }: Caller, suiteId: string, work: (suite: Suite) => Promise<Made>): Promise<Made> {
    return retryOnSuiteChange(new SuiteRepository(this.pool, teamId), suiteId, work);
  }

  /** @returns warnings; @throws ProblemError 422 */
  async #check(
    teamId: string,
    cases: readonly CaseInput[],
    suite: Suite,
    pathOf: (index: number) => string,
  ): Promise<string[]> {
    const ownTools = cases.flatMap((input) => input.tools ?? []);
    const withOwnTools = cases.filter((input) => input.tools?.some((tool) => typeof tool !== 'string'));
    return [
      ...conversionWarnings(ownTools),
      ...(await this.validator.checkNewCases(teamId, cases, suite, pathOf)),
      ...(withOwnTools.length > 0
        ? await this.validator.hostWarnings(
            teamId,
            [],
            withOwnTools.map((input) => JSON.stringify(input)),
          )
        : []),
    ];
  }
}

/** The cases of a body, and the path of each in it. */
function casesOf(input: AddedCases): { cases: CaseInput[]; isSingle: boolean; pathOf: (index: number) => string } {
  if (Array.isArray(input)) return { cases: input, isSingle: false, pathOf: (index) => `/${index}` };
  if ('cases' in input) return { cases: input.cases, isSingle: false, pathOf: (index) => `/cases/${index}` };
  return { cases: [input], isSingle: true, pathOf: () => '' };
}
