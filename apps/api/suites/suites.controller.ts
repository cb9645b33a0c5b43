import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
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
import type { Caller } from '#lib/db/catalogue/callers';
import { About, Answers, Changes, cursorOf, idCursor, Me, uuid, type Change } from '../platform/decorators.js';
import { CaseService, type AddedCases } from './cases.service.js';
import { SuiteService } from './suites.service.js';

@Controller('api')
export class SuitesController {
  constructor(
    readonly service: SuiteService,
    readonly caseService: CaseService,
  ) {}

  @Get('tool-suites')
  @About('List suites', 'The newest first, without their cases.')
  @Answers(200, pageOf(Suite))
  list(@Me() caller: Caller, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.service.list(caller, limit, idCursor(cursor));
  }

  @Post('tool-suites')
  @About(
    'Make a suite',
    'It has no cases yet: add them with `POST /api/tool-suites/{id}/cases`, or import a whole suite at once.',
  )
  @Answers(201, SuiteWritten)
  create(@Me() caller: Caller, @Body({ schema: SuiteInput }) input: SuiteInput, @Changes() change: Change) {
    return this.service.create(caller, input, change);
  }

  @Get('tool-suites/:id')
  @About('Read a suite with its cases', 'Returns all cases at once; `?cases=false` leaves them out.')
  @Answers(200, SuiteWithCases, 404, 429)
  read(@Me() caller: Caller, @Param('id') id: string, @Query({ schema: SuiteReadQuery }) { cases }: SuiteReadQuery) {
    return this.service.read(caller, uuid('suite', id), cases);
  }

  @Put('tool-suites/:id')
  @About(
    'Replace the settings of a suite',
    'Settings that you leave out stay, and so do the cases; null removes a setting. Refused with 422 ' +
      'when a case expects a tool that would be gone.',
  )
  @Answers(200, SuiteWritten, 404)
  replace(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: SuiteReplacement }) input: SuiteReplacement,
    @Changes() change: Change,
  ) {
    return this.service.update(caller, uuid('suite', id), given(input), change);
  }

  @Patch('tool-suites/:id')
  @About(
    'Change settings of a suite',
    'Settings that you leave out stay, and so do the cases. Refused with 422 when a case expects a ' +
      'tool that would be gone.',
  )
  @Answers(200, SuiteWritten, 404)
  patch(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Body({ schema: SuitePatch }) patch: SuitePatch,
    @Changes() change: Change,
  ) {
    return this.service.update(caller, uuid('suite', id), patch, change);
  }

  @Delete('tool-suites/:id')
  @About('Delete a suite', 'Refused with 409 while an unfinished run uses it. Earlier runs keep what they ran.')
  @Answers(204, undefined, 404, 409)
  remove(@Me() caller: Caller, @Param('id') id: string, @Changes() change: Change) {
    return this.service.delete(caller, uuid('suite', id), change);
  }

  @Get('tool-suites/:id/cases')
  @About('List the cases of a suite', 'By their position.')
  @Answers(200, pageOf(Case), 404)
  cases(@Me() caller: Caller, @Param('id') id: string, @Query({ schema: PageQuery }) { limit, cursor }: PageQueryType) {
    return this.caseService.list(caller, uuid('suite', id), limit, cursorOf(cursor, /^\d{1,9}$/));
  }

  @Post('tool-suites/:id/cases')
  @About(
    'Add cases to a suite',
    'Takes one case, a list, or `{"cases": [...]}`, and adds all of them behind the others, or none. ' +
      'Returns the case, or `{items}`. The `warnings` name expected arguments that no call can have.',
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

  @Put('tool-suites/:id/cases/:caseId')
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
}

/** The fields that are given: one that is undefined would replace what is stored. */
const given = (input: SuiteReplacement): SuitePatch =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
