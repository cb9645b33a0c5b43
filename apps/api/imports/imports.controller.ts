import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Pool } from '#lib/db/connection/pool';
import type { CaseInput } from '#lib/contracts/case';
import { exampleSuite } from '#lib/contracts/examples/example-suite';
import { CSV_EXAMPLE, JSONL_EXAMPLE, YAML_EXAMPLE } from '#lib/contracts/examples/examples';
import { ImportAnswer, ImportBody, ImportQuery, MAX_PREVIEW_CASES, SuiteExportQuery } from '#lib/contracts/import';
import { parseJson } from '#lib/contracts/json/json';
import { SuiteFile, type SuiteSettings } from '#lib/contracts/suite';
import { audit } from '#lib/db/catalogue/audit';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Caller } from '#lib/db/catalogue/callers';
import { SUITE_CONTENT_TYPES } from '#lib/imports/export-suite';
import { readWholeText } from '#lib/imports/files/text-stream';
import { YAML_LIMIT } from '#lib/imports/files/read-yaml';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { answerExport } from '../suites/answer-suite.js';
import { atOneVersion } from '../suites/check-suite-change.js';
import { POOL } from '../platform/stores.js';
import { SuiteStreams } from '../suites/suite-streams.js';
import { SuiteThreads } from '../suites/suite-threads.js';
import { About, AlsoAnswers, AlsoTakes, Answers, Changes, Me, uuid, type Change } from '../platform/decorators.js';
import { SMALL_BYTES, Upload } from '../platform/upload.js';

/** Suites out of files and into files. */
@Controller('api')
export class ImportsController {
  /** By team. A file is held until all of it is checked; the team's other large files wait meanwhile, unread. */
  readonly #largeFiles = new KeyedSemaphore(
    2,
    30,
    'Many large files are being imported just now. Try again in a few seconds.',
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteThreads: SuiteThreads,
    readonly suiteStreams: SuiteStreams,
  ) {}

  @Post('tool-eval/import')
  @AlsoTakes({
    'text/plain': JSONL_EXAMPLE,
    'text/csv': CSV_EXAMPLE,
    'application/yaml': YAML_EXAMPLE,
    'application/x-ndjson': JSONL_EXAMPLE,
  })
  @About(
    'Import a suite',
    'Makes a suite out of a file: all of it, or nothing. With `?dry_run=true` it answers 200 with ' +
      'what would be made. The body is the file itself as text, the suite as JSON, or JSON that holds ' +
      'the file beside what its format cannot say.',
  )
  @Answers(201, ImportAnswer, 413, 429)
  @ApiResponse({ status: 200, description: 'What a dry run would make.', standardSchema: ImportAnswer })
  async import(
    @Me() caller: Caller,
    @Query({ schema: ImportQuery }) query: ImportQuery,
    @Body({ schema: ImportBody }) body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Changes() change: Change,
  ): Promise<ImportAnswer> {
    const upload = body instanceof Upload ? body : undefined;
    // What came as JSON was read already; threads are given texts.
    const isJson = !upload && typeof body === 'object';
    const text = isJson ? JSON.stringify(body) : (body as string | undefined);
    const work = async () =>
      this.#import(caller, query, upload ? await textOf(upload, query) : text, isJson, reply, change);
    try {
      const isSmall = upload ? upload.isSmall : (text ?? '').length <= SMALL_BYTES;
      return await (isSmall ? work() : this.#largeFiles.run(caller.teamId, work));
    } finally {
      await upload?.drain();
    }
  }

  async #import(
    caller: Caller,
    { format, name, dry_run: isDry }: ImportQuery,
    body: string | undefined,
    isJson: boolean,
    reply: FastifyReply,
    change: Change,
  ): Promise<ImportAnswer> {
    const made = await this.suiteThreads.run(caller.teamId, {
      what: 'import',
      format,
      body,
      isJson,
      name,
      ...(isDry && { preview: MAX_PREVIEW_CASES }),
    });
    const settings = parseJson(made.settings) as unknown as SuiteSettings;
    const answer = { test_cases_created: made.count, warnings: made.warnings };
    if (isDry) {
      void reply.status(200);
      const cases = made.cases.map((one) => parseJson(one.body) as unknown as CaseInput);
      return { ...answer, suite_id: null, dry_run: true, preview: { ...settings, test_cases: cases } };
    }
    return change(async (client) => {
      const id = await new SuiteRepository(client, caller.teamId).create(settings, made.cases);
      await audit(client, caller, 'suite.import', id);
      return { suite_id: id, ...answer };
    });
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
    'Writes a suite into a file, as large as it may be. Importing what it answers gives an equal ' +
      'suite, but for `bfcl`, which cannot say everything.',
  )
  @Answers(200, SuiteFile, 404, 429)
  async export(
    @Me() caller: Caller,
    @Param('id') id: string,
    @Query({ schema: SuiteExportQuery }) { format, part }: SuiteExportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const file = await atOneVersion(this.pool, caller.teamId, uuid('suite', id), (suite) =>
      answerExport(this, caller.teamId, suite, format, part),
    );
    if (format !== 'json')
      void reply.header(
        'content-disposition',
        `attachment; filename="toolmark-suite-${id}.${SUITE_CONTENT_TYPES[format].ending}"`,
      );
    return file;
  }
}

/** The text of a file, taken in no further than its format is read. */
async function textOf(upload: Upload, { format }: ImportQuery): Promise<string> {
  return (await readWholeText(upload, format === 'yaml' || format === 'promptfoo' ? YAML_LIMIT : undefined)) as string;
}
