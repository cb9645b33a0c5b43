import type { Gate, GateRun } from '#lib/gate/contract';
import { points } from '#lib/comparison/points';
import { brokenLines } from './comparison-lines.js';
import { brokenCount, brokenOf, gateFacts, gateTable, headline, targetTexts, type GateReport } from './gate-report.js';
import { percent, table } from './table.js';
import { escapeControls } from './terminal.js';

const fact = (name: string, text: string): string => `${name.padEnd(10)} ${text}`;

/** What a gate says, for a terminal, line by line. */
export function gateLines(report: GateReport): string[] {
  const { answer } = report;
  const cells = gateTable(answer);
  return [
    headline(answer),
    answer.text,
    '',
    ...gateFacts(report).map(([name, text]) => fact(name, text)),
    ...(cells.length > 1 ? ['', ...table(cells)] : []),
    ...targetTexts(answer),
    ...brokenLines(brokenOf(report), brokenCount(answer)),
  ].map(escapeControls);
}

/** The rules of a gate, for a terminal. */
export function ruleLines(gate: Gate): string[] {
  const { baseline, baseline_eval_id: runId, critical_tags: tags } = gate;
  const source = 'eval_id' in baseline ? 'a run' : `of experiment ${baseline.experiment_id}`;
  return [
    `Gate ${gate.id} v${gate.version}`,
    fact('Name', gate.name),
    fact('Suite', gate.suite_name ?? '(deleted)'),
    fact('Baseline', runId === null ? `none yet: ${source} has none` : `run ${runId} (${source})`),
    fact('Models', gate.models?.join(', ') ?? 'those of the baseline'),
    fact('Passes', `when ${gate.measure} is shown not to be worse by ${points(gate.margin)}`),
    ...(gate.floor ? [fact('Floor', `${percent(gate.floor.pass_rate)} of the samples must pass`)] : []),
    ...(tags.length ? [fact('Critical', `cases tagged ${tags.join(', ')} must not break`)] : []),
    fact('Errors', `more than ${percent(gate.max_errored_share)} errored: not measured`),
    fact('Looks', `${gate.looks}${gate.max_requests === null ? '' : `, ${gate.max_requests} requests at most`}`),
  ].map(escapeControls);
}

export const gatesTable = (gates: readonly Gate[]): string[] =>
  table([
    ['gate', 'name', 'version', 'suite', 'measure', 'margin', 'looks', 'baseline'],
    ...gates.map((gate) => [
      gate.id,
      gate.name,
      String(gate.version),
      gate.suite_name ?? '(deleted)',
      gate.measure,
      points(gate.margin),
      String(gate.looks),
      gate.baseline_eval_id ?? 'none',
    ]),
  ]);

export const gateRunsTable = (runs: readonly GateRun[]): string[] =>
  table([
    ['gate run', 'version', 'status', 'result', 'looks', 'run', 'submitted', ''],
    ...runs.map((run) => [
      run.id,
      String(run.gate_version),
      run.status,
      run.result?.result ?? '-',
      String(run.looks.length),
      run.eval_id ?? '-',
      run.created_at,
      run.result?.text ?? '',
    ]),
  ]);
