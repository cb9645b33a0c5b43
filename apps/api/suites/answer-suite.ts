import { StreamableFile } from '@nestjs/common';
import type { SuiteExportFormat } from '#lib/contracts/import';
import type { Suite, SuiteSettings } from '#lib/contracts/suite';
import type { Pool } from '#lib/db/connection/pool';
import { CaseRepository, type CaseRow } from '#lib/db/catalogue/cases';
import type { BfclPart } from '#lib/imports/bfcl/export-bfcl';
import { exportSuite, SUITE_CONTENT_TYPES } from '#lib/imports/export-suite';
import type { SuiteStreams } from './suite-streams.js';

/** Of cases; so much is held at once. */
const SMALL_CHARACTERS = 4 * 2 ** 20;

type Pages = AsyncIterable<CaseRow[]>;
interface Streaming {
  pool: Pool;
  suiteStreams: SuiteStreams;
}

/** A suite with its cases as JSON, of whatever size. */
export function answerSuite(deps: Streaming, teamId: string, suite: Suite): Promise<StreamableFile> {
  return answer(deps, teamId, suite, { settings: suite, format: 'json', part: 'all', write: caseJson });
}

/** A suite as a file of one of the formats, of whatever size. */
export function answerExport(
  deps: Streaming,
  teamId: string,
  suite: Suite,
  format: SuiteExportFormat,
  part: BfclPart,
): Promise<StreamableFile> {
  const { name, description, system_prompt, pass_threshold, tools } = suite;
  return answer(deps, teamId, suite, {
    settings: { name, description, system_prompt, pass_threshold, tools },
    format,
    part,
    write: ({ body }) => body,
  });
}

/**
 * Cases are read at the suite's version that its head was read at. What is changed meanwhile breaks a large answer
 * off, so that nobody takes a mixture for a suite; a small one is read before anything is answered.
 */
async function answer(
  { pool, suiteStreams }: Streaming,
  teamId: string,
  suite: Suite,
  {
    settings,
    format,
    part,
    write,
  }: { settings: SuiteSettings; format: SuiteExportFormat; part: BfclPart; write: (one: CaseRow) => string },
): Promise<StreamableFile> {
  const { type } = SUITE_CONTENT_TYPES[format];
  const repository = new CaseRepository(pool, teamId);
  const written = (cases: Pages): AsyncGenerator<string> =>
    exportSuite(
      { settings, pages: mapped(cases, write), usedFields: () => repository.usedFields(suite.id) },
      format,
      part,
    );
  const pages = repository.pages(suite.id, suite.version);
  const read: CaseRow[][] = [];
  let characters = 0;
  for (;;) {
    const { value, done } = await pages.next();
    if (done) return new StreamableFile(suiteStreams.small(written(resumed(read))), { type });
    read.push(value);
    characters += value.reduce((sum, { body }) => sum + body.length, 0);
    if (characters > SMALL_CHARACTERS)
      return new StreamableFile(suiteStreams.large(teamId, written(resumed(read, pages))), { type });
  }
}

async function* resumed(read: CaseRow[][], others?: Pages): AsyncGenerator<CaseRow[]> {
  for (let page = read.shift(); page; page = read.shift()) yield page;
  if (others) yield* others;
}

async function* mapped(pages: Pages, write: (one: CaseRow) => string): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map(write);
}

/** A stored case is JSON already; its id and position go before its own fields. */
const caseJson = ({ id, position, body }: CaseRow): string =>
  `{"id":"${id}","position":${position}${body === '{}' ? '}' : `,${body.slice(1)}`}`;
