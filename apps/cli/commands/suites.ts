import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Case } from '#lib/contracts/case';
import { parseJson } from '#lib/contracts/json/json';
import type { ImportAnswer } from '#lib/contracts/import';
import type { ListedCase, Suite } from '#lib/contracts/suite';
import { examples, listByDefault, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findSuite } from '../lookup/find-named.js';
import { printList, readAll } from '../lookup/read-list.js';
import { table } from '../output/table.js';
import { print, writeOutput, printJson, printWarning } from '../output/terminal.js';
import { queryOf } from '../query.js';
import { readImport, type ImportOptions } from '../suite-files/read-suite-file.js';
import { withInterruptionError, writeAtomically } from '../write-atomically.js';
import { addDrafts, expectationOf } from './drafts.js';
import { addDelete } from './delete.js';
import { IMPORT_FORMATS, SUITE_EXPORT_FORMATS } from '#lib/contracts/values/suites';

const SUITE = 'name, id or id prefix of a suite';

export function addSuites(program: Command): void {
  const list = serverAction<SuiteListOptions>(listSuites);
  const suites = subcommand(program, 'suites', 'list, import, check and export suites');
  listByDefault(suites, list).addHelpText(...examples('toolmark suites', 'toolmark suites import --help'));
  subcommand(suites, 'list', 'list all suites')
    .option('--search <text>', 'only suites whose name contains this text')
    .action(list)
    .addHelpText(...examples('toolmark suites list --search weather'));
  subcommand(suites, 'show', 'show a suite with its tools and cases')
    .argument('<suite>', SUITE)
    .action(serverAction<GlobalOptions, [string]>(showSuite))
    .addHelpText(...examples('toolmark suites show Weather'));
  subcommand(suites, 'cases', 'list the cases of a suite, with how the models of its last run did')
    .argument('<suite>', SUITE)
    .option('--text <text>', 'only cases that contain this text')
    .option('--tag <tag>', 'only cases with this tag')
    .option('--category <category>', 'only cases of this category')
    .option('--failed', 'only cases that a model did not pass in the last run')
    .action(serverAction<CaseListOptions, [string]>(listCases))
    .addHelpText(...examples('toolmark suites cases Weather --failed'));
  subcommand(suites, 'restore', 'make an earlier version of a suite the current one')
    .argument('<suite>', SUITE)
    .argument('<version>', 'number of the version')
    .action(serverAction<GlobalOptions, [string, string]>(restoreVersion))
    .addHelpText(...examples('toolmark suites restore "Old suite" 1'));
  addImport(suites);
  subcommand(suites, 'export', 'export a suite as a file')
    .argument('<suite>', SUITE)
    .addOption(new Option('--format <format>', 'format of the file').choices(SUITE_EXPORT_FORMATS).default('json'))
    .option('--bom', 'with --format csv: add a byte order mark, so that Excel reads UTF-8')
    .option('--out <file>', 'file to write, which appears once it is complete (default: standard output)')
    .action(serverAction<SuiteExportOptions, [string]>(exportSuite))
    .addHelpText(...examples('toolmark suites export Weather --format yaml'));
  addDelete(
    suites,
    'suite',
    ['delete a suite; its runs keep their version of it', 'toolmark suites delete "Old suite"'],
    ['<suite>', SUITE],
    async (client, wanted) => `/api/tool-suites/${await findSuite(client, wanted)}`,
  );
  addDrafts(suites, SUITE);
}

function addImport(suites: Command): void {
  const fileOptions = (command: Command): Command =>
    command
      .argument('<file>', 'a suite as JSON, or a file in another format')
      .addOption(
        new Option(
          '--format <format>',
          'format of the file; json, csv and yaml are recognised by its extension',
        ).choices(IMPORT_FORMATS),
      )
      .option('--encoding <charset>', 'charset of the file if it is not UTF-8, such as windows-1252')
      .option('--answers <file>', 'with --format bfcl: the file of possible answers')
      .option('--name <name>', 'name of the suite, for formats that have none');
  fileOptions(subcommand(suites, 'import', 'create a suite from a file'))
    .option('--dry-run', 'print the suite without creating it')
    .action(serverAction<ImportOptions & { dryRun?: boolean }, [string]>(importSuite))
    .addHelpText(
      ...examples(
        'toolmark suites import examples/weather.json',
        'toolmark suites import traces.json --format otlp --name "From production"',
      ),
    );
  fileOptions(subcommand(suites, 'check', 'check a file for problems, without importing it'))
    .action(serverAction<ImportOptions, [string]>(checkSuite))
    .addHelpText(...examples('toolmark suites check examples/weather.json'));
}

interface SuiteListOptions extends GlobalOptions {
  search?: string;
}

async function listSuites(client: ApiClient, options: SuiteListOptions): Promise<void> {
  const { search } = options;
  const items = await readAll<Suite>(client, `/api/tool-suites?${queryOf({ name: search })}`);
  const none = search ? 'No suites match.' : 'No suites yet. Import one: toolmark suites import examples/weather.json';
  printList({ items }, options, none, (found) =>
    table(
      found.map((suite) => [
        suite.id,
        suite.name,
        `v${suite.version}`,
        `${suite.test_cases_count} cases`,
        `${suite.tools.length} tools`,
      ]),
    ),
  );
}

interface CaseListOptions extends GlobalOptions {
  text?: string;
  tag?: string;
  category?: string;
  failed?: boolean;
}

async function listCases(client: ApiClient, options: CaseListOptions, name: string): Promise<void> {
  const { text, tag, category, failed } = options;
  const query = queryOf({ verdicts: true, text, tag, category, failed });
  const items = await readAll<ListedCase>(client, `/api/tool-suites/${await findSuite(client, name)}/cases?${query}`);
  printList({ items }, options, 'No cases match.', (found) =>
    table([
      ['case', 'name or prompt', 'category', 'expects', 'last run'],
      ...found.map((one) => [
        one.id,
        one.name ?? one.prompt?.slice(0, 60) ?? '',
        one.category ?? '-',
        expectationOf(one),
        lastRunOf(one),
      ]),
    ]),
  );
}

/** "2 of 3 models passed": a model passes if all its samples do. */
function lastRunOf({ last_run: run }: ListedCase): string {
  if (!run) return '-';
  const scored = run.models.filter((model) => model.scored > 0);
  const passed = scored.filter((model) => model.passed === model.scored).length;
  const errored = run.models.length - scored.length;
  return `${passed} of ${scored.length} models passed${errored > 0 ? `, ${errored} errored` : ''}`;
}

async function restoreVersion(client: ApiClient, options: GlobalOptions, name: string, version: string): Promise<void> {
  const path = `/api/tool-suites/${await findSuite(client, name)}/versions/${encodeURIComponent(version)}/restore`;
  const suite = await client.call<Suite>('POST', path, {});
  if (options.json) return printJson(suite);
  print(`${suite.name} is as in version ${version} again: version ${suite.version}, ${suite.test_cases_count} cases.`);
}

async function showSuite(client: ApiClient, options: GlobalOptions, name: string): Promise<void> {
  const text = await client.text(`/api/tool-suites/${await findSuite(client, name)}`);
  const suite = parseJson(text) as unknown as Suite & { test_cases: Case[] };
  if (options.json) return printJson(suite);
  print(
    `Suite ${suite.id}`,
    `Name       ${suite.name} v${suite.version}, changed ${suite.updated_at}`,
    ...(suite.description ? [`About      ${suite.description}`] : []),
    `Tools      ${suite.tools.map((tool) => tool.function.name).join(', ')}`,
    `Passes at  ${suite.pass_threshold}`,
    '',
    ...table([
      ['case', 'name or prompt', 'category', 'expects'],
      ...suite.test_cases.map((one) => [
        one.id,
        one.name ?? one.prompt?.slice(0, 60) ?? '',
        one.category ?? '-',
        `${expectationOf(one)}${one.draft ? ' (draft)' : ''}`,
      ]),
    ]),
  );
}

type Import = ImportOptions & GlobalOptions;

async function importSuite(client: ApiClient, options: Import & { dryRun?: boolean }, file: string): Promise<void> {
  const { body, query } = readImport(file, options, options.dryRun);
  const answer = await client.importSuite(body, query);
  if (options.json) return printJson(answer);
  answer.warnings.forEach(printWarning);
  if (options.dryRun) printJson(answer.preview);
  else print(`Imported ${answer.test_cases_created} cases as suite ${answer.suite_id}`);
}

async function checkSuite(client: ApiClient, options: Import, file: string): Promise<void> {
  const { body, query } = readImport(file, options, true);
  const answer: ImportAnswer = await client.importSuite(body, query);
  if (options.json) return printJson(answer);
  answer.warnings.forEach(printWarning);
  const { name, tools } = answer.preview!;
  print(`${file} can be imported: "${name}" with ${answer.test_cases_created} cases and ${tools.length} tools.`);
}

interface SuiteExportOptions {
  format: string;
  bom?: boolean;
  out?: string;
}

async function exportSuite(client: ApiClient, options: SuiteExportOptions, name: string): Promise<void> {
  const { format, bom, out } = options;
  const path = `/api/tool-suites/${await findSuite(client, name)}/export?${queryOf({ format, bom })}`;
  const pieces = client.download(path);
  if (out !== undefined)
    return writeAtomically(
      out,
      withInterruptionError(pieces, `The export was interrupted, and ${out} was not written.`),
    );
  let text = '';
  for await (const piece of withInterruptionError(pieces, 'The export was interrupted, and nothing was printed.'))
    text += piece;
  if (format === 'json') printJson(parseJson(text));
  else writeOutput(text);
}
