import { Option, type Command } from 'commander';
import { writeFileSync } from 'node:fs';
import type { ApiClient } from '#lib/client/api-client';
import type { Job } from '#lib/contracts/job';
import { withoutSlash } from '#lib/contracts/url';
import type { Gate, GateAnswer, GateRun, GateSubmitted } from '#lib/gate/contract';
import { examples, serverAction } from '../command.js';
import { EXIT, exitWith, GATE_EXITS, type ExitCode } from '../exit-codes.js';
import { explainError } from '../explain-error.js';
import { findGate } from '../lookup/find-named.js';
import { findRun } from '../lookup/find-run.js';
import { readBroken, readCases } from '../lookup/read-gate-cases.js';
import { printReport } from '../output/report-lines.js';
import { printError, printJson, toSafeJson, writeLines } from '../output/terminal.js';
import { gateReport, RESULT_WORDS, type GateReport } from '../reports/gate.js';
import { addConfig, configOf, type ConfigOptions } from './run-settings.js';

type GateExit = 'fail' | 'pass';
interface GateReportOptions {
  junit?: string;
  markdown?: string;
  json?: boolean;
  jsonFile?: string;
  inconclusive?: GateExit;
  notMeasured?: GateExit;
}

const GATE_EXIT_CHOICES: GateExit[] = ['fail', 'pass'];

interface GateOptions extends ConfigOptions, GateReportOptions {
  eval?: string;
  addSamples?: boolean;
  watch?: boolean;
}

export function addGate(program: Command): void {
  const gate = program
    .command('gate')
    .description('decide whether a change may ship: measure a run against the baseline of a gate')
    .argument('<gate>', 'name, id or id prefix of a gate')
    .option('--eval <run>', 'measure this run instead of a new one; leave out run settings')
    .option('--add-samples', 'with --eval: add samples while they could decide the result')
    .option('-w, --watch', 'print the result of each look at the data');
  addGateReportOptions(addConfig(gate)).action(serverAction<GateOptions, [string]>(measure));
  gate.addHelpText(
    ...examples(
      'toolmark gate main --eval RUN',
      'toolmark gate main --models simulator::perfect-ish --junit gate.xml --markdown gate.md --json gate.json',
      'toolmark gate main --eval RUN --add-samples --inconclusive pass',
    ),
  );
}

async function measure(client: ApiClient, options: GateOptions, wanted: string): Promise<void> {
  try {
    await decide(client, options, wanted);
  } catch (error) {
    if (options.junit !== undefined) await writeErrorReport(options.junit, wanted, error as Error);
    throw error;
  }
}

async function decide(client: ApiClient, options: GateOptions, wanted: string): Promise<void> {
  const config = configOf(options);
  const isConfigured = Object.values(config).some((value) => value !== undefined);
  if (options.eval !== undefined && isConfigured)
    throw new Error('--eval measures an existing run: leave out the run settings, or leave out --eval.');
  if (options.addSamples && options.eval === undefined)
    throw new Error('--add-samples needs --eval RUN, the run to add samples to.');
  const gateId = await findGate(client, wanted);
  const runId = options.eval === undefined ? undefined : (await findRun(client, options.eval)).id;
  const end =
    runId !== undefined && !options.addSamples
      ? { answer: await checkGate(client, gateId, runId), gateRunId: null }
      : await runGate(client, gateId, runId === undefined ? { config } : { eval_id: runId }, options);
  await reportGateOutcome(client, end, options);
}

/** The answer of a gate for an existing run. No model gets a request. */
export const checkGate = (client: ApiClient, gateId: string, runId: string): Promise<GateAnswer> =>
  client.call('GET', `/api/gates/${gateId}/check?eval_id=${runId}`);

async function runGate(client: ApiClient, gateId: string, body: object, options: GateOptions): Promise<GateOutcome> {
  const submitted = await client.call<GateSubmitted>('POST', `/api/gates/${gateId}/run`, body);
  return followGate(client, gateId, submitted, options);
}

/** Waits for a gate run, and reads its answer. */
export async function followGate(
  client: ApiClient,
  gateId: string,
  { job_id: jobId, gate_run_id: gateRunId }: Pick<GateSubmitted, 'job_id' | 'gate_run_id'>,
  { watch, json }: Pick<GateOptions, 'watch' | 'json'>,
): Promise<GateOutcome> {
  const path = `/api/gates/${gateId}/runs/${gateRunId}`;
  let shownLooks = 0;
  const newLooks = async (): Promise<string[]> => {
    const { looks } = await client.call<GateRun>('GET', path);
    const news = looks
      .slice(shownLooks)
      .map(({ look, result, text }) => `Look ${look}: ${RESULT_WORDS[result]}. ${text}`);
    shownLooks = looks.length;
    return news;
  };
  const { watchWork } = await import('../watch-run.js');
  const job = await watchWork(client, jobId, { silent: json === true, ...(watch && { news: newLooks }) }).catch(
    (error: Error) => {
      throw new Error(`Watching stopped; the gate run continues on the server: gate run ${gateRunId}, job ${jobId}.`, {
        cause: error,
      });
    },
  );
  const gateRun = await client.call<GateRun>('GET', path);
  if (job.status !== 'completed' && !json)
    printError(`The gate run is ${job.status}. Continue with: toolmark resume ${jobId}`);
  if (gateRun.result) return { answer: gateRun.result, gateRunId };
  const gate = await client.call<Gate>('GET', `/api/gates/${gateId}`);
  return {
    answer: unansweredResult(gate, gateRun, job),
    gateRunId,
    ...(job.status === 'failed' && { exit: EXIT.negative }),
  };
}

/** The answer of a gate run that ended before it had one: not measured. */
function unansweredResult(gate: Gate, run: GateRun, { status, error, detail }: Job): GateAnswer {
  const why = error ?? detail;
  return {
    gate: { id: gate.id, name: gate.name, version: run.gate_version, measure: gate.measure, margin: gate.margin },
    eval_id: run.eval_id,
    baseline_eval_id: run.baseline_eval_id,
    result: 'not_measured',
    text: `The gate run is ${status} and has no answer${why === null ? '.' : `: ${why}`}`,
    look: { number: run.looks.length, planned: gate.looks, alpha: 1, final: false },
    targets: [],
    cases: null,
    what_changed: [],
    notes: [],
  };
}

const addGateReportOptions = (command: Command): Command =>
  command
    .option('--junit <file>', 'write a JUnit report')
    .option('--markdown <file>', 'write a Markdown report for a pull request')
    .option('--json-file <file>', 'write the answer as JSON; --json FILE does the same')
    .addOption(new Option('--inconclusive <exit>', 'exit with 1 or 0 instead of 3').choices(GATE_EXIT_CHOICES))
    .addOption(new Option('--not-measured <exit>', 'exit with 1 or 0 instead of 4').choices(GATE_EXIT_CHOICES));

/** A gate's answer, and the gate run that produced it. */
interface GateOutcome {
  answer: GateAnswer;
  /** Null if there was no gate run. */
  gateRunId: string | null;
  /** Replaces the exit code of the answer if the job failed. */
  exit?: ExitCode;
}

/** Writes the reports, prints the answer, and sets the exit code. */
export async function reportGateOutcome(
  client: ApiClient,
  end: GateOutcome,
  options: GateReportOptions,
): Promise<void> {
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
async function writeErrorReport(file: string, gate: string, error: Error): Promise<void> {
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
