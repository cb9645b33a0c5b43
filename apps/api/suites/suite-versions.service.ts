import { Inject, Injectable } from '@nestjs/common';
import type { Case } from '#lib/contracts/case';
import type { Page, PageQuery } from '#lib/contracts/page';
import type { SuiteVersion, SuiteVersionHead } from '#lib/contracts/suite-version';
import type { Caller } from '#lib/db/catalogue/callers';
import type { Pool } from '#lib/db/connection/pool';
import { SuiteVersionRepository } from '#lib/db/read/suite-versions';
import { ComparisonAnswers, type Patience } from '../comparisons/comparison-answers.js';
import { POOL } from '../platform/stores.js';

/** Reads and compares the versions of suites. */
@Injectable()
export class SuiteVersionService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly answers: ComparisonAnswers,
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

  /**
   * Cases of large suites take seconds of Postgres time, so versions are compared in the threads that compare runs.
   * @returns JSON of `SuiteChanges`; undefined when it takes longer than the caller waits
   */
  compare({ teamId }: Caller, suiteId: string, { from, to }: Compared, patience: Patience) {
    return this.answers.get({ what: 'compare-versions', teamId, suiteId, from, to }, patience);
  }
}

interface Compared {
  from: number;
  to: number | undefined;
}
