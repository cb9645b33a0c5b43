import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { Case, CaseInput } from '#lib/contracts/case';
import { PageQuery, pageOf, type PageQuery as PageQueryType } from '#lib/contracts/page';
import {
  CasesInput,
  CasesWritten,
  CaseWritten,
  Suite,
  SuiteInput,
  SuitePatch,
  SuiteReadQuery,
  SuiteReplacement,
  SuiteWithCases,
  SuiteWritten,
} from '#lib/contracts/suite';
import { conversionWarnings } from '#lib/contracts/input/tool-shapes';
import { audit } from '#lib/db/catalogue/audit';
import { CaseRepository } from '#lib/db/catalogue/cases';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import type { Caller } from '#lib/db/catalogue/callers';
import { answerSuite } from './answer-suite.js';
import { atOneVersion, refuseBadCases, refuseBadTools, refuseMisfits } from './check-suite-change.js';
import { POOL } from '../platform/stores.js';
import { SuiteStreams } from './suite-streams.js';
import { SuiteThreads } from './suite-threads.js';
import { About, Answers, Changes, cursorOf, idCursor, Me, uuid, type Change } from '../platform/decorators.js';

@Controller('api')
export class SuitesController {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteThreads: SuiteThreads,
    readonly suiteStreams: SuiteStreams,
  ) {}

  @Get('tool-suites')
  @About('List suites', 'The newest first, without their cases.')
  @Answers(200, pageOf(Suite))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new SuiteRepository(this.pool, caller.teamId).list({ limit, cursor: idCursor(cursor) });
  }

  @Post('tool-suites')
  @About(
    'Make a suite',
    'It has no cases yet: add them with `POST /api/tool-suites/{id}/cases`, or import a whole suite at once.',
  )
  @Answers(201, SuiteWritten)
  async create(@Me() caller: Caller, @Body({ schema: SuiteInput }) input: SuiteInput, @Changes() change: Change) {
    await refuseBadTools(this, caller.teamId, input.tools);
    return change(async (client) => {
      const suites = new SuiteRepository(client, caller.teamId);
      const id = await suites.create(input, []);
      await audit(client, caller, 'suite.create', id);
      return { ...(await suites.read(id)), warnings: conversionWarnings(input.tools) };
    });
  }

  @Get('tool-suites/:id')
  @About('Read a suite with its cases', 'All cases are answered at once; `?cases=false` leaves them out.')
  @Answers(200, SuiteWithCases, 404, 429)
  read(@Me() caller: Caller, @Param('id') id: string, @Query({ schema: SuiteReadQuery }) { cases }: SuiteReadQuery) {
    const { pool } = this;
    if (!cases) return new SuiteRepository(pool, caller.teamId).read(uuid('suite', id));
    return atOneVersion(pool, caller.teamId, uuid('suite', id), (suite) => answerSuite(this, caller.teamId, suite));
  }

  @Put('tool-suites/:id')
  @About(
    'Replace the settings of a suite',
    'Settings that are left out stay, and so do the cases; null takes a setting away. Refused with ' +
      '422 when a case expects a tool that would be gone.',
  )
  @Answers(200, SuiteWritten, 404)
  replace(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: SuiteReplacement }) input: SuiteReplacement,
    @Changes() change: Change,
  ) {
    return this.#update(caller, id, given(input), change);
  }

  @Patch('tool-suites/:id')
  @About(
    'Change settings of a suite',
    'What is left out stays, and so do the cases. Refused with 422 when a case expects a tool that would be gone.',
  )
  @Answers(200, SuiteWritten, 404)
  patch(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: SuitePatch }) patch: SuitePatch,
    @Changes() change: Change,
  ) {
    return this.#update(caller, id, patch, change);
  }

  async #update(caller: Caller, id: string, patch: SuitePatch, change: Change) {
    const { pool } = this;
    const { tools } = patch;
    if (tools) await refuseBadTools(this, caller.teamId, tools);
    return atOneVersion(pool, caller.teamId, uuid('suite', id), async (suite) => {
      const warnings = tools
        ? [...conversionWarnings(tools), ...(await refuseMisfits(this, caller.teamId, suite, tools))]
        : [];
      return change(async (client) => {
        const suites = new SuiteRepository(client, caller.teamId);
        await suites.update(suite.id, patch, tools && suite.version);
        await audit(client, caller, 'suite.update', id);
        return { ...(await suites.read(suite.id)), warnings };
      });
    });
  }

  @Delete('tool-suites/:id')
  @About('Delete a suite', 'Refused with 409 while an unfinished run uses it. Earlier runs keep what they ran.')
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    return change(async (client) => {
      await new SuiteRepository(client, caller.teamId).delete(uuid('suite', id));
      await audit(client, caller, 'suite.delete', id);
    });
  }

  @Get('tool-suites/:id/cases')
  @About('List the cases of a suite', 'By their position.')
  @Answers(200, pageOf(Case), 404)
  cases(@Me() caller: Caller, @Param('id') id: string, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return new CaseRepository(this.pool, caller.teamId).list(uuid('suite', id), {
      limit,
      cursor: cursorOf(cursor, /^\d{1,9}$/),
    });
  }

  @Post('tool-suites/:id/cases')
  @About(
    'Add cases to a suite',
    'One case, a list, or `{"cases": [...]}`: all are added behind the others, or none. It answers ' +
      'the case, or `{items}`, and in `warnings` what no call can answer.',
  )
  @Answers(201, CasesWritten, 404)
  addCases(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: CasesInput }) input: CaseInput | CaseInput[] | { cases: CaseInput[] },
    @Changes() change: Change,
  ) {
    const single = !Array.isArray(input) && !('cases' in input);
    const cases = Array.isArray(input) ? input : 'cases' in input ? input.cases : [input];
    const base = single
      ? () => ''
      : Array.isArray(input)
        ? (index: number) => `/${index}`
        : (index: number) => `/cases/${index}`;
    return atOneVersion(this.pool, caller.teamId, uuid('suite', id), async ({ id: suiteId, tools }) => {
      const warnings = [
        ...conversionWarnings(ownTools(cases)),
        ...(await refuseBadCases(this, caller.teamId, cases, tools, base)),
      ];
      return change(async (client) => {
        const items = await new CaseRepository(client, caller.teamId).add(suiteId, cases, tools);
        await audit(client, caller, 'suite.add-cases', id);
        return single ? { ...items[0], warnings } : { items, warnings };
      });
    });
  }

  @Put('tool-suites/:id/cases/:caseId')
  @About('Replace a case', 'The whole of it: what is left out is gone. The case keeps its id and its position.')
  @Answers(200, CaseWritten, 404)
  replaceCase(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('caseId') caseId: string,
    @Body({ schema: CaseInput }) input: CaseInput,
    @Changes() change: Change,
  ) {
    return atOneVersion(this.pool, caller.teamId, uuid('suite', id), async ({ id: suiteId, tools }) => {
      const warnings = [
        ...conversionWarnings(ownTools([input])),
        ...(await refuseBadCases(this, caller.teamId, [input], tools, () => '')),
      ];
      return change(async (client) => {
        const made = await new CaseRepository(client, caller.teamId).replace(
          suiteId,
          uuid('case', caseId),
          input,
          tools,
        );
        await audit(client, caller, 'suite.replace-case', id);
        return { ...made, warnings };
      });
    });
  }

  @Delete('tool-suites/:id/cases/:caseId')
  @About('Delete a case', 'The others keep their positions. Earlier runs keep what they ran.')
  @Answers(204, undefined, 404)
  deleteCase(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('caseId') caseId: string,
    @Changes() change: Change,
  ): Promise<void> {
    return change(async (client) => {
      await new CaseRepository(client, caller.teamId).delete(uuid('suite', id), uuid('case', caseId));
      await audit(client, caller, 'suite.delete-case', id);
    });
  }
}

const ownTools = (cases: readonly CaseInput[]): unknown[] => cases.flatMap((input) => input.tools ?? []);

/** What is there of an object: undefined would take the place of what is stored. */
const given = (input: SuiteReplacement): SuitePatch =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
