import { Inject, Injectable } from '@nestjs/common';
import type { Experiment, ExperimentInput } from '#lib/contracts/experiment';
import type { Page, PageQuery } from '#lib/contracts/page';
import { ProblemError } from '#lib/contracts/input/problem';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { ExperimentRepository } from '#lib/db/catalogue/experiments';
import type { Pool } from '#lib/db/connection/pool';
import type { Prisma } from '#lib/db/connection/prisma';
import type { Change } from '../platform/decorators.js';
import { POOL, PRISMA } from '../platform/stores.js';
import { findSuite } from '../runs/find-suite.js';

/** Runs that belong together, compared with a baseline. */
@Injectable()
export class ExperimentService {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(PRISMA) readonly prisma: Prisma,
  ) {}

  list(caller: Caller, page: PageQuery): Promise<Page<Experiment>> {
    return this.#of(caller).list(page);
  }

  async create(caller: Caller, input: ExperimentInput, change: Change): Promise<Experiment> {
    await findSuite(this.pool, caller.teamId, input.suite_id);
    return change(async (client) => {
      const experiment = await this.#of(caller).create(client, input);
      await audit(client, caller, 'experiment.create', experiment.id);
      return experiment;
    });
  }

  read(caller: Caller, id: string): Promise<Experiment> {
    return this.#of(caller).read(id);
  }

  /** For routes that exist already and do nothing yet. @throws ProblemError 404, else 422 */
  async refuseUnbuilt(caller: Caller, id: string, what: string): Promise<never> {
    await this.read(caller, id);
    throw new ProblemError(
      422,
      `${what} is not built yet. Experiments can be created, listed and read, and runs can name them.`,
    );
  }

  #of({ teamId }: Caller): ExperimentRepository {
    return new ExperimentRepository(this.prisma, teamId);
  }
}
