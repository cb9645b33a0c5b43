import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { exampleSuite } from '#lib/contracts/examples/example-suite';
import { CSV_EXAMPLE, JSONL_EXAMPLE, YAML_EXAMPLE } from '#lib/contracts/examples/example-files';
import { ImportAnswer, ImportBody, ImportQuery, SuiteExportQuery } from '#lib/contracts/import';
import { SuiteFile } from '#lib/contracts/suite';
import type { Caller } from '#lib/db/catalogue/callers';
import {
  About,
  AlsoAnswers,
  Answers,
  Changes,
  Me,
  TakesFile,
  TakesUpTo,
  uuid,
  type Change,
} from '../platform/decorators.js';
import { MAX_BODY_BYTES } from '../platform/upload.js';
import { ImportService } from './imports.service.js';

@Controller('api')
export class ImportsController {
  constructor(readonly service: ImportService) {}

  @Post('tool-eval/import')
  @TakesUpTo(MAX_BODY_BYTES, undefined, { isReadByRoute: true })
  @TakesFile(
    {
      'text/csv': CSV_EXAMPLE,
      'text/plain': JSONL_EXAMPLE,
      'application/yaml': YAML_EXAMPLE,
      'application/x-yaml': YAML_EXAMPLE,
      'text/yaml': YAML_EXAMPLE,
      'application/x-ndjson': JSONL_EXAMPLE,
      'application/jsonl': JSONL_EXAMPLE,
    },
    { bounds: { bytes: MAX_BODY_BYTES }, identifiedBy: 'text' },
  )
  @About(
    'Import a suite',
    'Creates a suite from a file: all of it, or nothing. With `?dry_run=true` it answers 200 with the ' +
      'suite that it would create. The body is the file itself as text, the suite as JSON, or JSON that ' +
      'holds the file and settings that its format cannot express.',
  )
  @Answers(201, ImportAnswer, 413, 429)
  @ApiResponse({ status: 200, description: 'What the import would create.', standardSchema: ImportAnswer })
  async import(
    @Me() caller: Caller,
    @Query({ schema: ImportQuery }) query: ImportQuery,
    @Body({ schema: ImportBody }) body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Changes() change: Change,
  ): Promise<ImportAnswer> {
    if (query.dry_run) void reply.status(200);
    return this.service.import(caller, body, query, change);
  }

  @Get('tool-eval/import/example')
  @About('Read an example suite', 'A small suite to start from, in the form that import takes.')
  @Answers(200, SuiteFile)
  example() {
    return exampleSuite;
  }

  @Get('tool-suites/:id/export')
  @AlsoAnswers({ 'text/csv': CSV_EXAMPLE, 'application/yaml': YAML_EXAMPLE, 'application/x-ndjson': JSONL_EXAMPLE })
  @About(
    'Export a suite',
    'Writes a suite of any size to a file. Importing the file gives an equal suite, except for `bfcl`, ' +
      'which cannot express everything.',
  )
  @Answers(200, SuiteFile, 404, 429)
  async export(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: SuiteExportQuery }) query: SuiteExportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { file, name } = await this.service.export(caller, uuid('suite', id), query);
    if (query.format !== 'json') void reply.header('content-disposition', `attachment; filename="${name}"`);
    return file;
  }
}
