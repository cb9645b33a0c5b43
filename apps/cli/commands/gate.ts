import type { Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Gate, GateAnswer, GateRun, GateSubmitted } from '#lib/gate/contract';
import type { Job } from '#lib/contracts/job';
import { onServer, examples } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { findGate } from '../lookup/find-named.js';
import { findRun } from '../lookup/find-run.js';
import { RESULT_WORDS } from '../reports/gate.js';
import { printError } from '../output/terminal.js';
import { addGateReports, concludeGate, writeUnanswered } from './conclude-gate.js';
import type { GateEnd, GateReportOptions } from './conclude-gate.js';
import { addConfig, configOf, type ConfigOptions } from './run-settings.js';

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
  addGateReports(addConfig(gate)).action(onServer<GateOptions, [string]>(measure));
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
    if (options.junit !== undefined) await writeUnanswered(options.junit, wanted, error as Error);
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
  await concludeGate(client, end, options);
}

/** The answer of a gate for an existing run. No model gets a request. */
export const checkGate = (client: ApiClient, gateId: string, runId: string): Promise<GateAnswer> =>
  client.call('GET', `/api/gates/${gateId}/check?eval_id=${runId}`);

async function runGate(client: ApiClient, gateId: string, body: object, options: GateOptions): Promise<GateEnd> {
  const submitted = await client.call<GateSubmitted>('POST', `/api/gates/${gateId}/run`, body);
  return followGate(client, gateId, submitted, options);
}

/** Waits for a gate run, and reads its answer. */
export async function followGate(
  client: ApiClient,
  gateId: string,
  { job_id: jobId, gate_run_id: gateRunId }: Pick<GateSubmitted, 'job_id' | 'gate_run_id'>,
  { watch, json }: Pick<GateOptions, 'watch' | 'json'>,
): Promise<GateEnd> {
  const path = `/api/gates/${gateId}/runs/${gateRunId}`;
  let told = 0;
  const tellLooks = async (): Promise<string[]> => {
    const { looks } = await client.call<GateRun>('GET', path);
    const news = looks.slice(told).map(({ look, result, text }) => `Look ${look}: ${RESULT_WORDS[result]}. ${text}`);
    told = looks.length;
    return news;
  };
  const { watchWork } = await import('../watch-run.js');
  const job = await watchWork(client, jobId, { silent: json === true, ...(watch && { news: tellLooks }) }).catch(
    (error: Error) => {
      throw new Error(
        `Watching stopped, but the gate run continues on the server: gate run ${gateRunId}, job ${jobId}.`,
        {
          cause: error,
        },
      );
    },
  );
  const gateRun = await client.call<GateRun>('GET', path);
  if (job.status !== 'completed' && !json)
    printError(`The gate run is ${job.status}. Continue with: toolmark resume ${jobId}`);
  if (gateRun.result) return { answer: gateRun.result, gateRunId };
  const gate = await client.call<Gate>('GET', `/api/gates/${gateId}`);
  return { answer: unanswered(gate, gateRun, job), gateRunId, ...(job.status === 'failed' && { exit: EXIT.negative }) };
}

/** The answer of a gate run that ended before it had one: not measured. */
function unanswered(gate: Gate, run: GateRun, { status, error, detail }: Job): GateAnswer {
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
