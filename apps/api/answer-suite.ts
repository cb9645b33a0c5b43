import { StreamableFile } from '@nestjs/common';
import type { SuiteExportFormat } from '#lib/contracts/import';
import type { Suite } from '#lib/contracts/suite';
import type { Pool } from '#lib/db/pool';
import { casePages, usedFields, type CaseRow } from '#lib/db/suites';
import { exportSuite, SUITE_CONTENT_TYPES } from '#lib/imports/export-suite';
import type { SuiteStreams } from './suite-streams.js';

/** Of cases; so much is held at once. */
const SMALL_CHARACTERS = 4 * 2 ** 20;

type Pages = AsyncIterable<CaseRow[]>;

/** A suite with its cases as JSON, of whatever size. */
export function answerSuite(deps: { pool: Pool; suiteStreams: SuiteStreams }, teamId: string, suite: Suite): Promise<StreamableFile> {
  return answer(deps, teamId, suite, SUITE_CONTENT_TYPES.json.type, (pages) => suiteJson(suite, pages));
}

/** A suite as a file of one of the formats, of whatever size. */
export function answerExport(
  deps: { pool: Pool; suiteStreams: SuiteStreams }, teamId: string, suite: Suite, format: SuiteExportFormat, part: 'all' | 'questions' | 'answers',
): Promise<StreamableFile> {
  const { name, description, system_prompt, pass_threshold, tools } = suite;
  const settings = { name, description, system_prompt, pass_threshold, tools };
  return answer(deps, teamId, suite, SUITE_CONTENT_TYPES[format].type, (pages) =>
    exportSuite({ settings, pages: bodiesOf(pages), usedFields: () => usedFields(deps.pool, suite.id) }, format, part));
}

/**
 * Cases are read at the suite's version that its head was read at. What is changed meanwhile breaks a large answer off, so that
 * nobody takes a mixture for a suite; a small one is read before anything is answered.
 */
async function answer(
  { pool, suiteStreams }: { pool: Pool; suiteStreams: SuiteStreams }, teamId: string, suite: Suite, type: string, write: (pages: Pages) => AsyncGenerator<string>,
): Promise<StreamableFile> {
  const pages = casePages(pool, suite.id, suite.version);
  const read: CaseRow[][] = [];
  let characters = 0;
  for (;;) {
    const { value, done } = await pages.next();
    if (done) return new StreamableFile(suiteStreams.small(write(resumed(read))), { type });
    read.push(value);
    characters += value.reduce((sum, { body }) => sum + body.length, 0);
    if (characters > SMALL_CHARACTERS) return new StreamableFile(suiteStreams.large(teamId, write(resumed(read, pages))), { type });
  }
}

async function* resumed(read: CaseRow[][], others?: Pages): AsyncGenerator<CaseRow[]> {
  for (let page = read.shift(); page; page = read.shift()) yield page;
  if (others) yield* others;
}

async function* bodiesOf(pages: Pages): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map(({ body }) => body);
}

async function* suiteJson(suite: Suite, pages: Pages): AsyncGenerator<string> {
  yield `${JSON.stringify(suite).slice(0, -1)},"test_cases":[`;
  let separator = '';
  for await (const page of pages) {
    let text = '';
    for (const one of page) {
      text += separator + caseJson(one);
      separator = ',';
    }
    yield text;
  }
  yield ']}';
}

/** A stored case is JSON already; its id and position go before its own fields. */
const caseJson = ({ id, position, body }: CaseRow): string => `{"id":"${id}","position":${position}${body === '{}' ? '}' : `,${body.slice(1)}`}`;
