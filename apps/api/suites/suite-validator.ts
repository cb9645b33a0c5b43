import { Inject, Injectable } from '@nestjs/common';
import type { CaseInput } from '#lib/contracts/case';
import type { InputError } from '#lib/contracts/input/problem';
import type { Suite, SuiteSettings } from '#lib/contracts/suite';
import type { Tool } from '#lib/contracts/tool';
import { CaseRepository } from '#lib/db/catalogue/cases';
import { ProviderRepository } from '#lib/db/catalogue/providers';
import type { Pool } from '#lib/db/connection/pool';
import { mergeUnsatisfiable, noneUnsatisfiable, unsatisfiableWarnings } from '#lib/imports/unsatisfiable-search';
import { prefixed, refuse } from '../platform/problem.js';
import { POOL } from '../platform/stores.js';
import type { CaseError } from '../threads/suite-tasks.js';
import { hostWarnings } from '../threads/host-warnings.js';
import { SuiteThreads } from '../threads/suite-threads.js';

/**
 * Checks tools and cases before they are stored. Checks may take long, so they do not run under the lock of a suite:
 * `retryOnSuiteChange` repeats them when the suite was changed in between.
 */
@Injectable()
export class SuiteValidator {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteThreads: SuiteThreads,
  ) {}

  /** @throws ProblemError 422 with the faults of the tools */
  async checkTools(teamId: string, tools: readonly Tool[]): Promise<void> {
    const errors = await this.suiteThreads.run(teamId, { what: 'check-tools', tools: JSON.stringify(tools) });
    refuse(prefixed('/tools', errors));
  }

  /**
   * Checks what the conversations of a suite have in common, without its cases.
   * @returns warnings about its rules
   * @throws ProblemError 422
   */
  async checkConversation(teamId: string, { tools, conversation }: CheckedSuite): Promise<string[]> {
    if (!conversation) return [];
    const texts = { tools: JSON.stringify(tools), conversation: JSON.stringify(conversation) };
    const { errors, warnings } = await this.suiteThreads.run(teamId, { what: 'check-conversation', ...texts });
    refuse(prefixed('/conversation', errors));
    return warnings;
  }

  /**
   * Warnings about tools that the hosts of the team's providers refuse, or receive in a changed form.
   * @param cases JSON of cases; if there are any, only the tools offered to them are checked
   */
  async hostWarnings(teamId: string, tools: readonly Tool[], cases: readonly string[] = []): Promise<string[]> {
    const providers = await new ProviderRepository(this.pool, teamId).addresses();
    const hosts = providers.map(({ key: name, ...provider }) => ({ name, ...provider }));
    return hostWarnings(this.suiteThreads, teamId, { tools, hosts, cases });
  }

  /**
   * @param pathOf the path of a case in the body
   * @returns warnings about expected arguments that no call can have
   * @throws ProblemError 422 with the faults of the cases
   */
  async checkNewCases(
    teamId: string,
    cases: readonly CaseInput[],
    suite: CheckedSuite,
    pathOf: (index: number) => string,
  ): Promise<string[]> {
    const { errors, slips } = await this.suiteThreads.run(teamId, {
      what: 'check-cases',
      ...textsOf(suite),
      cases: cases.map((input) => JSON.stringify(input)),
    });
    refuse(errors.map(({ index, path, message }): InputError => ({ path: pathOf(index) + path, message })));
    return unsatisfiableWarnings(slips, (index) => (pathOf(index) === '' ? 'The case' : `Case ${index}`));
  }

  /**
   * Checks all cases of a suite against other settings of it, page by page.
   * @param changed what is given in place of the suite's own
   * @param wayOut a sentence on what the user can do about a case that does not fit
   * @returns warnings about expected arguments that no call can have
   * @throws ProblemError 422 with the cases that would not fit; SuiteChanged
   */
  async checkStoredCases(teamId: string, suite: Suite, changed: Partial<CheckedSuite>, wayOut = ''): Promise<string[]> {
    const texts = textsOf({ ...suite, ...changed });
    const found = noneUnsatisfiable();
    for await (const page of new CaseRepository(this.pool, teamId).pages(suite.id, suite.version)) {
      const cases = page.map(({ body }) => body);
      const { errors, slips } = await this.suiteThreads.run(teamId, { what: 'fit-cases', ...texts, cases });
      refuse(
        errors.map((error) => ({
          path: changed.tools ? '/tools' : '/conversation',
          message: `${nameOf(page[error.index]!.position, error)} would no longer be valid: ${error.message}${wayOut}`,
        })),
      );
      mergeUnsatisfiable(found, {
        ...slips,
        named: slips.named.map((slip) => ({ ...slip, index: page[slip.index]!.position })),
      });
    }
    return unsatisfiableWarnings(found, (position) => `Case ${position}`);
  }
}

/** What of a suite its cases are checked against. */
type CheckedSuite = Pick<SuiteSettings, 'tools' | 'conversation'>;

const textsOf = ({ tools, conversation }: CheckedSuite): { tools: string; conversation?: string } => ({
  tools: JSON.stringify(tools),
  ...(conversation && { conversation: JSON.stringify(conversation) }),
});

const nameOf = (position: number, { name }: CaseError): string => `Case ${position}${name ? ` ("${name}")` : ''}`;
