import { Body, Controller, Get, Param, Post, Query, Res, Inject } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { exampleSuite } from '#lib/contracts/examples/example-suite';
import { CSV_EXAMPLE, JSONL_EXAMPLE, YAML_EXAMPLE } from '#lib/contracts/examples/example-files';
import { ImportAnswer, ImportBody, ImportQuery, SuiteExportQuery, MAX_PREVIEW_CASES } from '#lib/contracts/import';
import { SuiteFile, type SuiteSettings } from '#lib/contracts/suite';
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
import { MAX_BODY_BYTES, SMALL_BYTES, Upload } from '../platform/upload.js';
import type { CaseInput } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json/json';
import { audit } from '#lib/db/catalogue/audit';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import { SUITE_CONTENT_TYPES } from '#lib/imports/export-suite';
import { readWholeText } from '#lib/imports/source/text-stream';
import { YAML_LIMIT } from '#lib/imports/files/read-yaml';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import { LargeJson } from '../platform/large-bodies.js';
import { POOL } from '../platform/stores.js';
import { retryOnSuiteChange } from '../suites/retry-on-suite-change.js';
import { SuiteExporter } from '../suites/suite-exporter.js';
import { SuiteValidator } from '../suites/suite-validator.js';
import type { Imported } from '../threads/suite-tasks.js';
import { SuiteThreads } from '../threads/suite-threads.js';

/** Imports files as suites, and exports suites as files. */
@Controller('api')
export class ImportsController {
  /** By team. A large file stays in memory until it is fully checked; other large files of the team wait unread. */
  readonly #largeFiles = new KeyedSemaphore(
    2,
    30,
    'Too many large files are being imported. Try again in a few seconds.',
  );

  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteThreads: SuiteThreads,
    readonly exporter: SuiteExporter,
    readonly validator: SuiteValidator,
  ) {}

  /** @param body an upload, a text, or JSON: parsed, or as its text if large */
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
    if (body instanceof Upload) return this.#importUpload(caller, body, query, change);
    const file = fileOf(body);
    const work = () => this.#import(caller, file, query, change);
    return (file.text ?? '').length <= SMALL_BYTES ? work() : this.#largeFiles.run(caller.teamId, work);
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
    @Me() { teamId }: Caller,
    @Param('id') id: string,
    @Query({ schema: SuiteExportQuery }) query: SuiteExportQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const suiteId = uuid('suite', id);
    const suites = new SuiteRepository(this.pool, teamId);
    const file = await retryOnSuiteChange(suites, suiteId, (suite) => this.exporter.asFile(teamId, suite, query));
    const name = `toolmark-suite-${suiteId}.${SUITE_CONTENT_TYPES[query.format].ending}`;
    if (query.format !== 'json') void reply.header('content-disposition', `attachment; filename="${name}"`);
    return file;
  }

  async #importUpload(caller: Caller, upload: Upload, query: ImportQuery, change: Change): Promise<ImportAnswer> {
    const work = async () => this.#import(caller, { text: await textOf(upload, query), isJson: false }, query, change);
    try {
      return await (upload.isSmall ? work() : this.#largeFiles.run(caller.teamId, work));
    } finally {
      await upload.drain();
    }
  }

  async #import(
    caller: Caller,
    { text, isJson }: ImportedFile,
    { format, name, dry_run: isDryRun }: ImportQuery,
    change: Change,
  ): Promise<ImportAnswer> {
    const imported = await this.suiteThreads.run(caller.teamId, {
      what: 'import',
      format,
      body: text,
      isJson,
      name,
      ...(isDryRun && { preview: MAX_PREVIEW_CASES }),
    });
    const settings = parseJson(imported.settings) as unknown as SuiteSettings;
    const warnings = [...imported.warnings, ...(await this.#hostWarnings(caller.teamId, settings, imported))];
    const answer = { test_cases_created: imported.count, warnings };
    if (isDryRun) {
      const cases = imported.cases.map((one) => parseJson(one.body) as unknown as CaseInput);
      return { ...answer, suite_id: null, dry_run: true, preview: { ...settings, test_cases: cases } };
    }
    return change(async (client) => {
      const id = await new SuiteRepository(client, caller.teamId).create(settings, imported.cases);
      await audit(client, caller, 'suite.import', id, { after: { ...settings, cases: imported.count } });
      return { suite_id: id, ...answer };
    });
  }

  #hostWarnings(teamId: string, { tools }: SuiteSettings, { cases }: Imported): Promise<string[]> {
    return this.validator.hostWarnings(
      teamId,
      tools,
      cases.map(({ body }) => body),
    );
  }
}

/** The text of a file to import. */
interface ImportedFile {
  text: string | undefined;
  /** Sent as a JSON body. */
  isJson: boolean;
}

/** Threads take texts, so a body that was parsed as JSON is serialised again. */
function fileOf(body: unknown): ImportedFile {
  if (body instanceof LargeJson) return { text: body.text, isJson: true };
  const isJson = typeof body === 'object';
  return { text: isJson ? JSON.stringify(body) : (body as string | undefined), isJson };
}

/** The text of an upload, read up to the size limit of its format. */
async function textOf(upload: Upload, { format }: ImportQuery): Promise<string> {
  return (await readWholeText(upload, format === 'yaml' || format === 'promptfoo' ? YAML_LIMIT : undefined)) as string;
}
