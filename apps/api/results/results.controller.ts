import { Controller, Get, Param, Query, Req, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { flag, pageOf } from '#lib/contracts/page';
import { CsvMark } from '#lib/contracts/import';
import {
  Result,
  ResultNeighbours,
  ResultsFilter,
  ResultsQuery,
  ResultWithExchange,
  RunExport,
} from '#lib/contracts/result';
import type { Caller } from '#lib/db/catalogue/callers';
import { About, AlsoAnswers, Answers, Me, uuid } from '../platform/decorators.js';
import { RUN_EXPORT_FORMATS } from '#lib/contracts/values/runs';
import { EXPORT_FILES, exportName } from './export-run.js';
import { resultCursor } from './result-cursor.js';
import { ResultService } from './results.service.js';

const ExportQuery = z.strictObject({
  ...ResultsFilter.shape,
  // Renamed, because a file also has a `format`.
  format_compliance: ResultsFilter.shape.format,
  format: z.enum(RUN_EXPORT_FORMATS).default('json').meta({ description: 'The format of the file.' }),
  bom: CsvMark,
  end: flag.meta({
    description:
      'For `jsonl` and `csv`: adds a last line with the number of results, ' +
      '`{"end":true,"results":7}` or a row that begins with `#end,7`. A file without it is truncated.',
  }),
});
const ResultQuery = ResultsQuery.pick({ rescore_id: true });
@Controller('api/tool-eval/history/:id')
export class ResultsController {
  constructor(readonly service: ResultService) {}

  @Get('results')
  @About(
    'List the results of a run',
    'With a filter, a page may hold fewer results than `limit`, or none, and a page of large results holds 2 MiB of ' +
      'them: read on until `next_cursor` is null. A cursor is valid only for its own order.',
  )
  @Answers(200, pageOf(Result), 404, 409, 422, 429)
  results(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: ResultsQuery }) { limit, cursor, ...list }: ResultsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const page = { limit, cursor: resultCursor(cursor, list.order) };
    return this.service.list(caller, uuid('run', id), list, page, { request, reply });
  }

  @Get('results/:resultId')
  @About(
    'Read a result with its exchange',
    'The requests and replies as they were sent, and the verdict in plain sentences.',
  )
  @Answers(200, ResultWithExchange, 403, 404, 409, 422, 429)
  result(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('resultId') resultId: string,
    @Query({ schema: ResultQuery }) { rescore_id: rescoreId }: z.infer<typeof ResultQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.service.read(caller, { runId: uuid('run', id), resultId, rescoreId }, { request, reply });
  }

  @Get('results/:resultId/neighbours')
  @About(
    'Find the neighbours of a result',
    'The previous and next result, and the nearest failures, by the filter and in the order of the list.',
  )
  @Answers(200, ResultNeighbours, 404, 409, 422, 429)
  neighbours(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Param('resultId') resultId: string,
    @Query({ schema: ResultsFilter }) list: ResultsFilter,
  ) {
    return this.service.neighbours(caller, uuid('run', id), resultId, list);
  }

  @Get('export')
  @AlsoAnswers({
    'application/x-ndjson': '{"id": "0-1-0", "target": "simulator::perfect-ish", "passed": false, "overall": 0.8}\n',
    'text/csv': 'id,target,case_name,passed,overall\r\n0-1-0,simulator::perfect-ish,Tokyo in Fahrenheit,false,0.8\r\n',
    'application/xml': '<testsuites name="Weather" tests="3" failures="1" errors="0"></testsuites>\n',
  })
  @About(
    'Export a run',
    'All results in one file, or those that a filter selects, streamed for runs of any size: JSON, JSON Lines, CSV, ' +
      'or JUnit XML for a pipeline. JSON holds the summaries of the whole run too, with their 95 % intervals and ' +
      '`ci_method`. The filter is that of the list of results, whose `format` is `format_compliance` here. The ' +
      'file name includes it.',
  )
  @Answers(200, RunExport, 404, 409, 422, 429)
  async export(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: ExportQuery }) { format, bom, end, format_compliance, ...list }: z.infer<typeof ExportQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const runId = uuid('run', id);
    const filter = { ...list, format: format_compliance };
    const how = { format, hasMark: bom, hasEnd: end };
    const file = await this.service.export(caller, runId, how, filter, { request, reply });
    void reply.header('content-disposition', `attachment; filename="${exportName(runId, format, filter)}"`);
    return new StreamableFile(file, { type: EXPORT_FILES[format].type });
  }
}
