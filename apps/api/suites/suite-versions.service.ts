import { Inject, Injectable } from '@nestjs/common';
import type { Case } from '#lib/contracts/case';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { SuiteChanges, SuiteVersion, SuiteVersionHead } from '#lib/contracts/suite-version';
import { suiteChanges } from '#lib/comparison/suite-changes';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { SuiteVersionRepository } from '#lib/db/read/suite-versions';
import { ComparisonTurns } from '../comparisons/comparison-turns.js';
import { POOL } from '../platform/stores.js';

/** What users see of the versions of suites. */
@Injectable()
export class SuiteVersionService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly turns: ComparisonTurns,
  ) {}

  list({ teamId }: Caller, suiteId: string, page: PageQuery): Promise<Page<SuiteVersionHead>> {
    return new SuiteVersionRepository(this.pool, teamId).list(suiteId, page);
  }

  async read({ teamId }: Caller, suiteId: string, version: number): Promise<SuiteVersion> {
    return (await new SuiteVersionRepository(this.pool, teamId).read(suiteId, version)).suite;
  }

  readCase({ teamId }: Caller, suiteId: string, version: number, caseId: string): Promise<Case> {
    return SuiteVersionRepository.inSnapshot(this.pool, teamId, async (versions) => {
      const { place } = await versions.read(suiteId, version);
      return versions.readCase(place, caseId);
    });
  }

  /** Cases of large suites take seconds of Postgres, so comparisons of versions and of runs take the same turns. */
  compare({ teamId }: Caller, suiteId: string, from: number, to: number | undefined): Promise<SuiteChanges> {
    return this.turns.run(teamId, () =>
      SuiteVersionRepository.inSnapshot(this.pool, teamId, async (versions) => {
        const a = await versions.read(suiteId, from);
        const b = await versions.read(suiteId, to);
        return {
          from: a.suite.version,
          to: b.suite.version,
          ...suiteChanges(a.suite, b.suite),
          cases: await versions.compareCases(a.place, b.place),
        };
      }),
    );
  }
}
