import { Body, Controller, Get, Inject, Param, Post, Query, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { ImportAnswer, ImportBody, ImportQuery, MAX_PREVIEW_CASES, SuiteExportQuery } from '#lib/contracts/import';
import { SuiteFile } from '#lib/contracts/suite';
import { audit } from '#lib/db/audit';
import { createSuite, readWholeSuite } from '#lib/db/suites';
import type { Caller } from '#lib/db/teams';
import { Turnstile } from '#lib/runtime/turnstile';
import { exportSuite, SUITE_CONTENT_TYPES } from '#lib/imports/export-suite';
import { importSuite } from '#lib/imports/import-suite';
import { badInput } from './bad-input.js';
import { Deps } from './deps.js';
import { exampleSuite } from './example-suite.js';
import { Answers, Me, uuid } from './route.js';
import { Upload } from './upload.js';

/** Suites out of files and into files. */
@Controller('api')
export class ImportsController {
  /** Of a team. The cases of a file are held until all of them are known to be right; its other large files wait meanwhile, unread. */
  readonly #turns = new Map<string, Turnstile>();

  constructor(@Inject(Deps) readonly deps: Deps) {}

  @Post('tool-eval/import')
  @Answers(201, ImportAnswer, 413, 429)
  async import(@Me() caller: Caller, @Query({ schema: ImportQuery }) query: ImportQuery, @Body({ schema: ImportBody }) body: unknown, @Res({ passthrough: true }) reply: FastifyReply): Promise<ImportAnswer> {
    try {
      const work = () => this.#import(caller, query, body, reply);
      return await (body instanceof Upload && !body.isSmall ? this.#turnsOf(caller.teamId).pass(work) : work());
    } finally {
      if (body instanceof Upload) await body.drain();
    }
  }

  #turnsOf(teamId: string): Turnstile {
    let turns = this.#turns.get(teamId);
    if (!turns) this.#turns.set(teamId, (turns = new Turnstile(2, 30, 'Many large files are being imported just now. Try again in a few seconds.')));
    return turns;
  }

  async #import(caller: Caller, query: ImportQuery, body: unknown, reply: FastifyReply): Promise<ImportAnswer> {
    const { suite, warnings } = await importSuite(query.format, body, query.name, (issues) => badInput(issues).errors!);
    const answer = { test_cases_created: suite.test_cases.length, warnings };
    if (query.dry_run) {
      void reply.status(200);
      return { ...answer, suite_id: null, dry_run: true, preview: { ...suite, test_cases: suite.test_cases.slice(0, MAX_PREVIEW_CASES) } };
    }
    const id = await createSuite(this.deps.pool, caller.teamId, suite);
    await audit(this.deps.pool, caller, 'suite.import', id);
    return { suite_id: id, ...answer };
  }

  @Get('tool-eval/import/example')
  @Answers(200, SuiteFile)
  example() {
    return exampleSuite;
  }

  @Get('tool-suites/:id/export')
  @Answers(200, SuiteFile, 404)
  async export(@Me() caller: Caller, @Param('id') id: string, @Query({ schema: SuiteExportQuery }) { format, part }: SuiteExportQuery, @Res({ passthrough: true }) reply: FastifyReply) {
    const { name, description, system_prompt, pass_threshold, tools, test_cases } = await readWholeSuite(this.deps.pool, caller.teamId, uuid('suite', id));
    const suite = { name, description, system_prompt, pass_threshold, tools, test_cases: test_cases.map(({ id: _id, position: _position, ...input }) => input) };
    if (format === 'json') return suite;
    const { type, ending } = SUITE_CONTENT_TYPES[format];
    void reply.header('content-disposition', `attachment; filename="toolmark-suite-${id}.${ending}"`);
    return new StreamableFile(Readable.from(exportSuite(suite, format, part)), { type });
  }
}
