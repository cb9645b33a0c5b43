import { Inject, Injectable, type StreamableFile } from '@nestjs/common';
import type { CaseInput } from '#lib/contracts/case';
import { MAX_PREVIEW_CASES, type ImportAnswer, type ImportQuery, type SuiteExportQuery } from '#lib/contracts/import';
import { parseJson } from '#lib/contracts/json/json';
import type { SuiteSettings } from '#lib/contracts/suite';
import { audit } from '#lib/db/catalogue/audit';
import type { Caller } from '#lib/db/catalogue/callers';
import { SuiteRepository } from '#lib/db/catalogue/suites';
import type { Pool } from '#lib/db/connection/pool';
import { SUITE_CONTENT_TYPES } from '#lib/imports/export-suite';
import { readWholeText } from '#lib/imports/source/text-stream';
import { YAML_LIMIT } from '#lib/imports/files/read-yaml';
import { KeyedSemaphore } from '#lib/runtime/keyed-semaphore';
import type { Change } from '../platform/decorators.js';
import { LargeJson } from '../platform/large-bodies.js';
import { POOL } from '../platform/stores.js';
import { SMALL_BYTES, Upload } from '../platform/upload.js';
import { retryOnSuiteChange } from '../suites/retry-on-suite-change.js';
import { SuiteExporter } from '../suites/suite-exporter.js';
import { SuiteValidator } from '../suites/suite-validator.js';
import type { Imported } from '../threads/suite-tasks.js';
import { SuiteThreads } from '../threads/suite-threads.js';

/** The text of a file to import. */
interface ImportedFile {
  text: string | undefined;
  /** Sent as a JSON body. */
  isJson: boolean;
}

/** Imports files as suites, and exports suites as files. */
@Injectable()
export class ImportService {
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
  async import(caller: Caller, body: unknown, query: ImportQuery, change: Change): Promise<ImportAnswer> {
    if (body instanceof Upload) return this.#importUpload(caller, body, query, change);
    const file = fileOf(body);
    const work = () => this.#import(caller, file, query, change);
    return (file.text ?? '').length <= SMALL_BYTES ? work() : this.#largeFiles.run(caller.teamId, work);
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
      await audit(client, caller, 'suite.import', id);
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

  async export(
    { teamId }: Caller,
    suiteId: string,
    form: SuiteExportQuery,
  ): Promise<{ file: StreamableFile; name: string }> {
    const suites = new SuiteRepository(this.pool, teamId);
    const file = await retryOnSuiteChange(suites, suiteId, (suite) => this.exporter.asFile(teamId, suite, form));
    return { file, name: `toolmark-suite-${suiteId}.${SUITE_CONTENT_TYPES[form.format].ending}` };
  }
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
