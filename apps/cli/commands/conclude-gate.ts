import { Option, type Command } from 'commander';
import { writeFileSync } from 'node:fs';
import type { ApiClient } from '#lib/client/api-client';
import type { GateAnswer } from '#lib/gate/contract';
import { withoutSlash } from '#lib/contracts/url';
import { explainError } from '../explain-error.js';
import { EXIT, exitWith, GATE_EXITS, type ExitCode } from '../exit-codes.js';
import { readBroken, readCases } from '../lookup/read-gate-cases.js';
import { printReport } from '../output/report-lines.js';
import { printJson, toSafeJson, writeLines } from '../output/terminal.js';
import { gateReport, type GateReport } from '../reports/gate.js';

type Meaning = 'fail' | 'pass';
export interface GateReportOptions {
  junit?: string;
  markdown?: string;
  json?: boolean;
  jsonFile?: string;
  inconclusive?: Meaning;
  notMeasured?: Meaning;
}

export const MEANINGS: Meaning[] = ['fail', 'pass'];

export const addGateReports = (command: Command): Command =>
  command
    .option('--junit <file>', 'write a JUnit report')
    .option('--markdown <file>', 'write a Markdown report for a pull request')
    .option('--json-file <file>', 'write the answer as JSON; --json FILE does the same')
    .addOption(new Option('--inconclusive <exit>', 'exit with 1 or 0 instead of 3').choices(MEANINGS))
    .addOption(new Option('--not-measured <exit>', 'exit with 1 or 0 instead of 4').choices(MEANINGS));

/** A gate's answer, and the gate run that produced it. */
export interface GateEnd {
  answer: GateAnswer;
  /** Null if there was no gate run. */
  gateRunId: string | null;
  /** Replaces the exit code of the answer if the job failed. */
  exit?: ExitCode;
}

/** Writes the reports, prints the answer, and sets the exit code. */
export async function concludeGate(client: ApiClient, end: GateEnd, options: GateReportOptions): Promise<void> {
  const { answer } = end;
  const report: GateReport = { answer, broken: await readBroken(client, answer), link: linkTo(client, answer) };
  if (options.junit !== undefined) {
    const [{ gateJunit }, { cases, cut }] = await Promise.all([
      import('../reports/gate-junit.js'),
      readCases(client, answer),
    ]);
    writeFileSync(options.junit, gateJunit(answer, cases, cut));
  }
  if (options.markdown !== undefined) {
    const { reportMarkdown } = await import('../output/report-markdown.js');
    writeLines(options.markdown, reportMarkdown(gateReport(report)));
  }
  const json = { ...answer, gate_run_id: end.gateRunId, broken: report.broken };
  if (options.jsonFile !== undefined) writeLines(options.jsonFile, [toSafeJson(json, 2)]);
  if (options.json) printJson(json);
  else printReport(gateReport(report));
  exitWith(end.exit ?? exitOf(answer, options));
}

/** Reports that there is no answer. A failure to write the report does not hide the original error. */
export async function writeUnanswered(file: string, gate: string, error: Error): Promise<void> {
  const { unansweredJunit } = await import('../reports/gate-junit.js');
  try {
    writeFileSync(file, unansweredJunit(gate, explainError(error).join('\n')));
  } catch {
    // The original error is reported.
  }
}

function exitOf({ result }: GateAnswer, { inconclusive, notMeasured }: GateReportOptions): ExitCode {
  const meaning = { inconclusive, not_measured: notMeasured, pass: undefined, fail: undefined }[result];
  if (meaning === undefined) return GATE_EXITS[result];
  return meaning === 'pass' ? EXIT.done : EXIT.negative;
}

const linkTo = ({ serverUrl }: ApiClient, { eval_id: runId }: GateAnswer): string | undefined =>
  runId === null ? undefined : new URL(`${withoutSlash(serverUrl)}/api/tool-eval/history/${runId}`).href;
