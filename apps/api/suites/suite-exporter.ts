import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { Suite, SuiteSettings } from '#lib/contracts/suite';
import { CaseRepository, type CaseRow } from '#lib/db/catalogue/cases';
import type { Pool } from '#lib/db/connection/pool';
import { exportSuite, SUITE_CONTENT_TYPES, type SuiteFileForm } from '#lib/imports/export-suite';
import { POOL } from '../platform/stores.js';
import { SuiteStreams } from './suite-streams.js';

/** Characters of cases that are read before the answer begins. */
const MAX_BUFFERED_CHARACTERS = 4 * 2 ** 20;

type CasePages = AsyncIterable<CaseRow[]>;

interface FileOfSuite {
  settings: SuiteSettings;
  form: SuiteFileForm;
  caseJson: (one: CaseRow) => string;
}

/** Writes suites with their cases, whatever their size. */
@Injectable()
export class SuiteExporter {
  constructor(
    @Inject(POOL) readonly pool: Pool,
    readonly suiteStreams: SuiteStreams,
  ) {}

  /** A suite with its cases, as the API returns it. */
  asJson(teamId: string, suite: Suite): Promise<StreamableFile> {
    return this.#stream(teamId, suite, {
      settings: suite,
      form: { format: 'json', part: 'all', bom: false },
      caseJson: jsonWithId,
    });
  }

  /** A suite as a file that can be imported. */
  asFile(teamId: string, suite: Suite, form: SuiteFileForm): Promise<StreamableFile> {
    const { name, description, system_prompt, pass_threshold, tools, conversation } = suite;
    const settings = {
      ...{ name, description, system_prompt, pass_threshold, tools },
      ...(conversation && { conversation }),
    };
    return this.#stream(teamId, suite, { settings, form, caseJson: ({ body }) => body });
  }

  /**
   * Cases are read at the same version of the suite as its settings. A small suite is read before the answer begins. If
   * a large one changes while it is sent, the answer is broken off, so that a mixture of two versions never looks like
   * a suite.
   * @throws SuiteChanged; ProblemError 429 when the team reads too many large suites
   */
  async #stream(teamId: string, suite: Suite, file: FileOfSuite): Promise<StreamableFile> {
    const cases = new CaseRepository(this.pool, teamId);
    const write = (pages: CasePages): AsyncGenerator<string> =>
      exportSuite(
        {
          settings: file.settings,
          pages: jsonOf(pages, file.caseJson),
          usedFields: () => cases.usedFields(suite.id),
        },
        file.form,
      );
    const { type } = SUITE_CONTENT_TYPES[file.form.format];
    const pages = cases.pages(suite.id, suite.version);
    const buffered: CaseRow[][] = [];
    for (let characters = 0; characters <= MAX_BUFFERED_CHARACTERS;) {
      const { value, done } = await pages.next();
      if (done)
        return new StreamableFile(this.suiteStreams.small(teamId, characters, write(resume(buffered))), { type });
      buffered.push(value);
      characters += value.reduce((sum, { body }) => sum + body.length, 0);
    }
    return new StreamableFile(this.suiteStreams.large(teamId, write(resume(buffered, pages))), { type });
  }
}

/** The buffered pages, each released as it is consumed, then the rest. */
async function* resume(buffered: CaseRow[][], rest?: CasePages): AsyncGenerator<CaseRow[]> {
  for (let page = buffered.shift(); page; page = buffered.shift()) yield page;
  if (rest) yield* rest;
}

async function* jsonOf(pages: CasePages, caseJson: (one: CaseRow) => string): AsyncGenerator<string[]> {
  for await (const page of pages) yield page.map(caseJson);
}

/** A stored case is already JSON; its id and position are inserted before its own fields. */
const jsonWithId = ({ id, position, body }: CaseRow): string =>
  `{"id":"${id}","position":${position}${body === '{}' ? '}' : `,${body.slice(1)}`}`;
