import { Inject, Injectable, type StreamableFile } from '@nestjs/common';
import { conversionWarnings } from '#lib/contracts/input/tool-shapes';
import type { Page } from '#lib/contracts/page';
import type { Suite, SuiteHead, SuiteInput, SuitePatch, SuitesQuery } from '#lib/contracts/suite';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import { SuiteHeadRepository } from '#lib/db/read/suite-heads';
import type { Change } from '../platform/decorators.js';
import { POOL } from '../platform/stores.js';
import { retryOnSuiteChange } from './retry-on-suite-change.js';
import { SuiteExporter } from './suite-exporter.js';
import { SuiteValidator } from './suite-validator.js';

type SuiteWithWarnings = Suite & { warnings: string[] };

/** Manages suites. Each check comes before the transaction. */
@Injectable()
export class SuiteService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly validator: SuiteValidator,
    readonly exporter: SuiteExporter,
  ) {}

  list({ teamId }: Caller, { lean, ...page }: SuitesQuery): Promise<Page<Suite> | Page<SuiteHead>> {
    return lean
      ? new SuiteHeadRepository(this.pool, teamId).list(page)
      : new SuiteRepository(this.pool, teamId).list(page);
  }

  async create(caller: Caller, input: SuiteInput, change: Change): Promise<SuiteWithWarnings> {
    await this.validator.checkTools(caller.teamId, input.tools);
    const warnings = [
      ...conversionWarnings(input.tools),
      ...(await this.validator.hostWarnings(caller.teamId, input.tools)),
    ];
    return change(async (client) => {
      const suites = new SuiteRepository(client, caller.teamId);
      const id = await suites.create(input, []);
      await audit(client, caller, 'suite.create', id);
      return { ...(await suites.read(id)), warnings };
    });
  }

  async read({ teamId }: Caller, suiteId: string, withCases: boolean): Promise<Suite | StreamableFile> {
    const suites = new SuiteRepository(this.pool, teamId);
    if (!withCases) return suites.read(suiteId);
    return retryOnSuiteChange(suites, suiteId, (suite) => this.exporter.asJson(teamId, suite));
  }

  async update(caller: Caller, suiteId: string, patch: SuitePatch, change: Change): Promise<SuiteWithWarnings> {
    const { teamId } = caller;
    const { tools } = patch;
    if (tools) await this.validator.checkTools(teamId, tools);
    return retryOnSuiteChange(new SuiteRepository(this.pool, teamId), suiteId, async (suite) => {
      const warnings = tools
        ? [
            ...conversionWarnings(tools),
            ...(await this.validator.checkStoredCases(teamId, suite, tools)),
            ...(await this.validator.hostWarnings(teamId, tools)),
          ]
        : [];
      return change(async (client) => {
        const suites = new SuiteRepository(client, teamId);
        await suites.update(suiteId, patch, tools && suite.version);
        await audit(client, caller, 'suite.update', suiteId);
        return { ...(await suites.read(suiteId)), warnings };
      });
    });
  }

  delete(caller: Caller, suiteId: string, change: Change): Promise<void> {
    return change(async (client) => {
      await new SuiteRepository(client, caller.teamId).delete(suiteId);
      await audit(client, caller, 'suite.delete', suiteId);
    });
  }
}
