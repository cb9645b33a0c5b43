import {
  Body,
  Controller,
  Delete,
  Get,
  Param,
  Patch,
  Post,
  Put,
  Query,
  Inject,
  type StreamableFile,
} from '@nestjs/common';
import { z } from 'zod';
import { Case, CaseInput, CaseNeighbours } from '#lib/contracts/case';
import { CaseResult, CaseResultsQuery, CaseVerdicts, CaseVerdictsQuery } from '#lib/contracts/case-result';
import { pageOf } from '#lib/contracts/page';
import {
  CaseLabels,
  CasesInput,
  CasesQuery,
  CasesWritten,
  CaseWritten,
  ListedCase,
  Suite,
  SuiteHead,
  SuiteInput,
  SuitePatch,
  SuiteReadQuery,
  SuiteReplacement,
  SuitesQuery,
  SuiteWithCases,
  SuiteWritten,
} from '#lib/contracts/suite';
import type { Caller } from '#lib/db/catalogue/callers';
import { CASE_RESULT_CURSOR } from '#lib/db/read/case-results';
import {
  About,
  Answers,
  Changes,
  cursorOf,
  idCursor,
  Me,
  TakesUpTo,
  uuid,
  type Change,
} from '../platform/decorators.js';
import { MAX_BODY_BYTES } from '../platform/upload.js';
import { CaseService, type AddedCases } from './cases.service.js';
import { conversionWarnings } from '#lib/contracts/input/tool-shapes';
import { audit } from '#lib/db/catalogue/audit';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import { SuiteHeadRepository } from '#lib/db/read/suite-heads';
import { POOL } from '../platform/stores.js';
import { retryOnSuiteChange } from './retry-on-suite-change.js';
import { SuiteExporter } from './suite-exporter.js';
import { SuiteValidator } from './suite-validator.js';

/** The tools of a suite, or of a case, may have up to 1 MiB. */
const TOOLS_BYTES = 2 * 2 ** 20;

/** Manages suites. Each check comes before the transaction. */
@Controller('api')
export class SuitesController {
  constructor(
    readonly caseService: CaseService,
    @Inject(POOL) readonly pool: Pool,
    readonly validator: SuiteValidator,
    readonly exporter: SuiteExporter,
  ) {}

  @Get('tool-suites')
  @About(
    'List suites',
    'The newest first, without their cases. With `lean=true`, also without their tools and system prompts, and with ' +
      'the last run of each.',
  )
  @Answers(200, pageOf(z.union([Suite, SuiteHead])))
  list(
    @Me() { teamId, userId, limits }: Caller,
    @Query({ schema: SuitesQuery }) { lean, cursor, ...query }: SuitesQuery,
  ) {
    const page = { ...query, userId, suiteIds: limits.suiteIds, cursor: idCursor(cursor) };
    return lean
      ? new SuiteHeadRepository(this.pool, teamId).list(page)
      : new SuiteRepository(this.pool, teamId).list(page);
  }

  @Post('tool-suites')
  @TakesUpTo(TOOLS_BYTES, SuiteInput)
  @About(
    'Create a suite',
    'It has no cases yet: add them with `POST /api/tool-suites/{id}/cases`, or import a whole suite at once.',
  )
  @Answers(201, SuiteWritten)
  async create(
    @Me() caller: Caller,
    @Body({ schema: SuiteInput }) input: SuiteInput,
    @Changes() change: Change,
  ): Promise<SuiteWithWarnings> {
    await this.validator.checkTools(caller.teamId, input.tools);
    const ofConversation = await this.validator.checkConversation(caller.teamId, input);
    const warnings = [
      ...conversionWarnings(input.tools),
      ...ofConversation,
      ...(await this.validator.hostWarnings(caller.teamId, input.tools)),
    ];
    return change(async (client) => {
      const suites = new SuiteRepository(client, caller.teamId);
      const id = await suites.create(input, []);
      await audit(client, caller, 'suite.create', id, { after: { ...input, cases: 0 } });
      return { ...(await suites.read(id)), warnings };
    });
  }

  @Get('tool-suites/:id')
  @About('Read a suite with its cases', 'Returns all cases at once; `?cases=false` leaves them out.')
  @Answers(200, SuiteWithCases, 404, 409, 429)
  async read(
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Query({ schema: SuiteReadQuery }) { cases }: SuiteReadQuery,
  ): Promise<Suite | StreamableFile> {
    const suiteId = uuid('suite', id);
    const suites = new SuiteRepository(this.pool, teamId);
    if (!cases) return suites.read(suiteId);
    return retryOnSuiteChange(suites, suiteId, (suite) => this.exporter.asJson(teamId, suite));
  }

  @Put('tool-suites/:id')
  @TakesUpTo(TOOLS_BYTES, SuiteReplacement)
  @About(
    'Replace the settings of a suite',
    'Settings that you leave out stay, and so do the cases; null removes a setting. Refused with 422 ' +
      'when a case expects a tool that would be removed.',
  )
  @Answers(200, SuiteWritten, 404)
  replace(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: SuiteReplacement }) input: SuiteReplacement,
    @Changes() change: Change,
  ) {
    return this.#update(caller, uuid('suite', id), given(input), change);
  }

  @Patch('tool-suites/:id')
  @TakesUpTo(TOOLS_BYTES, SuitePatch)
  @About(
    'Change settings of a suite',
    'Settings that you leave out stay, and so do the cases. Refused with 422 when a case expects a ' +
      'tool that would be removed, or would no longer fit what its conversation takes from the suite.',
  )
  @Answers(200, SuiteWritten, 404)
  patch(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: SuitePatch }) patch: SuitePatch,
    @Changes() change: Change,
  ) {
    return this.#update(caller, uuid('suite', id), patch, change);
  }

  @Delete('tool-suites/:id')
  @About('Delete a suite', 'Refused with 409 while an unfinished run uses it. Earlier runs keep what they ran.')
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change): Promise<void> {
    const suiteId = uuid('suite', id);
    return change(async (client) => {
      const before = await new SuiteRepository(client, caller.teamId).delete(suiteId);
      await audit(client, caller, 'suite.delete', suiteId, { before });
    });
  }

  @Get('tool-suites/:id/cases')
  @About(
    'List the cases of a suite',
    'By their position. `text` searches them; `verdicts=true` adds how the models of the last run did on each.',
  )
  @Answers(200, pageOf(ListedCase), 404, 429)
  cases(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: CasesQuery }) { cursor, ...query }: CasesQuery,
  ) {
    return this.caseService.list(caller, uuid('suite', id), { ...query, cursor: cursorOf(cursor, /^\d{1,9}$/) });
  }

  @Get('tool-suites/:id/case-labels')
  @About('List the labels of the cases of a suite', 'Its categories and tags, and how many cases have each.')
  @Answers(200, CaseLabels, 404)
  caseLabels(@Me() caller: Caller, @Param('id') id: string) {
    return this.caseService.labels(caller, uuid('suite', id));
  }

  @Post('tool-suites/:id/cases')
  @TakesUpTo(MAX_BODY_BYTES, CasesInput)
  @About(
    'Add cases to a suite',
    'Takes one case, a list, or `{"cases": [...]}`, and adds all of them at the end, or none. ' +
      'Returns the case, or `{items}`. The `warnings` name expected arguments that no call can have, and rules that ' +
      'never answer.',
  )
  @Answers(201, CasesWritten, 404)
  addCases(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: CasesInput }) input: AddedCases,
    @Changes() change: Change,
  ) {
    return this.caseService.add(caller, uuid('suite', id), input, change);
  }

  @Get('tool-suites/:id/cases/:caseId')
  @About('Read a case', 'The case in the current version of the suite.')
  @Answers(200, Case, 404)
  readCase(@Me() caller: Caller, @Param('id') id: string, @Param('caseId') caseId: string) {
    return this.caseService.read(caller, uuid('suite', id), uuid('case', caseId));
  }

  @Get('tool-suites/:id/cases/:caseId/neighbours')
  @About('Read the neighbours of a case', 'The ids of the cases before and after it, in the order of the suite.')
  @Answers(200, CaseNeighbours, 404)
  caseNeighbours(@Me() caller: Caller, @Param('id') id: string, @Param('caseId') caseId: string) {
    return this.caseService.neighbours(caller, uuid('suite', id), uuid('case', caseId));
  }

  @Get('tool-suites/:id/cases/:caseId/results')
  @About(
    'List the results of a case in all runs',
    'The newest run first, within a run by model and sample, without `evidence` and `metrics`. A ' +
      'page may hold fewer results than `limit`, or none: read on until `next_cursor` is null. A case that was ' +
      'deleted keeps its results.',
  )
  @Answers(200, pageOf(CaseResult), 404)
  caseResults(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('caseId') caseId: string,
    @Query({ schema: CaseResultsQuery }) { model, limit, cursor }: CaseResultsQuery,
  ) {
    return this.caseService.results(
      caller,
      { suiteId: uuid('suite', id), caseId: uuid('case', caseId), model },
      { limit, cursor: cursorOf(cursor, CASE_RESULT_CURSOR) },
    );
  }

  @Get('tool-suites/:id/cases/:caseId/verdicts')
  @About(
    'Read the verdicts on a case by run and model',
    "The share of samples that passed, in the newest runs of the suite that took the case. The runs' own verdicts.",
  )
  @Answers(200, CaseVerdicts, 404)
  caseVerdicts(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('caseId') caseId: string,
    @Query({ schema: CaseVerdictsQuery }) query: CaseVerdictsQuery,
  ) {
    return this.caseService.verdicts(caller, uuid('suite', id), uuid('case', caseId), query);
  }

  @Put('tool-suites/:id/cases/:caseId')
  @TakesUpTo(TOOLS_BYTES, CaseInput)
  @About(
    'Replace a case',
    'Replaces the whole case: fields that you leave out are gone. The case keeps its id and its position.',
  )
  @Answers(200, CaseWritten, 404)
  replaceCase(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('caseId') caseId: string,
    @Body({ schema: CaseInput }) input: CaseInput,
    @Changes() change: Change,
  ) {
    return this.caseService.replace(caller, uuid('suite', id), uuid('case', caseId), input, change);
  }

  @Delete('tool-suites/:id/cases/:caseId')
  @About('Delete a case', 'The others keep their positions. Earlier runs keep what they ran.')
  @Answers(204, undefined, 404)
  deleteCase(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('caseId') caseId: string,
    @Changes() change: Change,
  ) {
    return this.caseService.delete(caller, uuid('suite', id), uuid('case', caseId), change);
  }

  async #update(caller: Caller, suiteId: string, patch: SuitePatch, change: Change): Promise<SuiteWithWarnings> {
    const { teamId } = caller;
    const { tools, conversation } = patch;
    if (tools) await this.validator.checkTools(teamId, tools);
    return retryOnSuiteChange(new SuiteRepository(this.pool, teamId), suiteId, async (suite) => {
      const warnings = tools ? conversionWarnings(tools) : [];
      if (tools || conversation !== undefined) {
        const ofConversation = await this.validator.checkConversation(teamId, { ...suite, ...patch });
        if (conversation) warnings.push(...ofConversation);
        const changed = { ...(tools && { tools }), ...(conversation !== undefined && { conversation }) };
        warnings.push(...(await this.validator.checkStoredCases(teamId, suite, changed)));
      }
      if (tools) warnings.push(...(await this.validator.hostWarnings(teamId, tools)));
      return change(async (client) => {
        const suites = new SuiteRepository(client, teamId);
        const changed = await suites.update(
          suiteId,
          patch,
          tools || conversation !== undefined ? suite.version : undefined,
        );
        await audit(client, caller, 'suite.update', suiteId, changed);
        return { ...(await suites.read(suiteId)), warnings };
      });
    });
  }
}

/** Only the fields in the request: an undefined one would replace the stored value. */
const given = (input: SuiteReplacement): SuitePatch =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

type SuiteWithWarnings = Suite & { warnings: string[] };
