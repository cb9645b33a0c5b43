import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import { examples, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findRun } from '../lookup/find-run.js';
import { readRunReport } from '../lookup/read-run-report.js';
import { writeOutput, printJson, writeLines } from '../output/terminal.js';

interface ReportOptions extends GlobalOptions {
  /** True if it is printed. */
  markdown?: string | true;
  html?: string | true;
}

export function addReport(program: Command): void {
  const report = subcommand(program, 'report', 'write a readable report on a run: models, failures, and judge reports')
    .argument('<run>', 'id or id prefix of a run or job')
    .option('--markdown [file]', 'as Markdown, for a pull request; printed if no file is given')
    .option('--html [file]', 'as a self-contained HTML page; printed if no file is given')
    .action(serverAction<ReportOptions, [string]>(reportRun));
  report.addHelpText(...examples('toolmark report RUN', 'toolmark report RUN --html report.html --markdown report.md'));
}

async function reportRun(client: ApiClient, options: ReportOptions, wanted: string): Promise<void> {
  const { json, html } = options;
  const markdown = options.markdown ?? (html === undefined ? true : undefined);
  if (json && (options.markdown !== undefined || html !== undefined))
    throw new Error('--json prints the data of a report: leave out --markdown and --html.');
  if (markdown === true && html === true) throw new Error('Only one of --markdown and --html can be printed.');
  const read = await readRunReport(client, await findRun(client, wanted));
  if (json) return printJson(read);
  const { runReport } = await import('../reports/run.js');
  const report = runReport(read);
  if (markdown !== undefined) write(markdown, (await import('../output/report-markdown.js')).reportMarkdown(report));
  if (html !== undefined) write(html, (await import('../output/report-html.js')).reportHtml(report));
}

function write(file: string | true, lines: readonly string[]): void {
  if (file === true) writeOutput(`${lines.join('\n')}\n`);
  else writeLines(file, lines);
}
