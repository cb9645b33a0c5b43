import type { CaseOutcome } from '#lib/contracts/comparison';
import type { Gate, GateAnswer, GateResult, GateRun } from '#lib/gate/contract';
import { floorWord } from '#lib/contracts/values/floors';
import { points } from '#lib/comparison/points';
import { factsPart, MAX_NAME, longFact, text, type Fact, type Report } from '../output/report.js';
import { beginning, difference, dollars, percent, table } from '../output/table.js';
import { brokenPart, casesText, changeFacts, pairName, type BrokenCase, type ShownCase } from './comparison.js';

/** A case of one model in a gate. */
export interface GateCase extends ShownCase {
  target: string;
  state: CaseOutcome | 'errored';
  /** The number of samples that passed in the run. */
  samples: string;
}

/** The displayed data of a gate. Results are the server's own sentences. */
export interface GateReport {
  answer: GateAnswer;
  /** The first broken cases. */
  broken: GateCase[];
  /** The run at the server; undefined when there is none. */
  link: string | undefined;
}

export const RESULT_WORDS: Record<GateResult, string> = {
  pass: 'passed',
  fail: 'failed',
  inconclusive: 'inconclusive',
  not_measured: 'not measured',
};

export const headline = ({ gate, result }: GateAnswer): string =>
  `Gate ${beginning(gate.name, MAX_NAME)} v${gate.version}: ${RESULT_WORDS[result]}.`;

export function gateReport(report: GateReport): Report {
  const { answer, link } = report;
  return {
    mark: answer.gate.id,
    title: headline(answer),
    parts: [
      text(answer.text),
      { kind: 'table', caption: 'Models', cells: gateTable(answer) },
      ...(answer.targets.some(({ floors }) => floors)
        ? [{ kind: 'table' as const, caption: 'Floors', cells: floorsTable(answer) }]
        : []),
      { kind: 'list', items: targetTexts(answer) },
      factsPart(gateFacts(answer)),
      brokenPart(
        brokenCases(report),
        answer.targets.reduce((sum, { broken }) => sum + broken, 0),
      ),
      ...(link === undefined ? [] : [{ kind: 'link' as const, text: 'The run at the server', href: link }]),
    ],
  };
}

/** A heading and a row for each model. */
function gateTable({ targets, look }: GateAnswer): string[][] {
  return [
    ['model', 'result', 'baseline', 'now', `difference (${levelOf(look)})`, 'fixed', 'broken', 'errored', 'cost'],
    ...targets.map((target) => [
      pairName(target.baseline_target ?? target.target, target.target),
      RESULT_WORDS[target.result],
      percent(target.mean_a),
      percent(target.mean_b),
      difference(target.difference, target.ci),
      String(target.fixed),
      String(target.broken),
      target.errored_shares.map(percent).join(' -> '),
      `${dollars(target.cost.a)} -> ${dollars(target.cost.b)}`,
    ]),
  ];
}

const levelOf = ({ alpha }: GateAnswer['look']): string => `${Number(((1 - alpha) * 100).toFixed(2))} %`;

/** A heading and a row for each floor of a metric and each model, whichever rule decided. */
function floorsTable({ targets, look }: GateAnswer): string[][] {
  return [
    ['model', 'metric', 'result', 'floor', 'now', `${levelOf(look)} interval`],
    ...targets.flatMap(({ target, floors = [] }) =>
      floors.map((floor) => [
        beginning(target, MAX_NAME),
        floor.name,
        floorWord(floor),
        percent(floor.minimum),
        percent(floor.mean),
        floor.ci ? floor.ci.map(percent).join(' to ') : '-',
      ]),
    ),
  ];
}

/** The text of each model, unless it is the same as that of the gate. */
const targetTexts = ({ targets, text: words }: GateAnswer): string[] =>
  targets
    .filter((target) => target.text !== words)
    .map((target) => `${beginning(target.target, MAX_NAME)}: ${target.text}`);

function gateFacts(answer: GateAnswer): Fact[] {
  const { eval_id: runId, baseline_eval_id: baseline, gate, look, cases, notes } = answer;
  return [
    ['Baseline', baseline ?? 'none'],
    ['Run', runId ?? 'none'],
    ...(cases ? [['Cases', casesText({ ...cases }, gate.measure)] as Fact] : []),
    ['Margin', `${Number((gate.margin * 100).toFixed(4))} points, fixed with the gate`],
    ['Looks', looksText(look)],
    ...changeFacts(answer),
    ...notes.map((note) => longFact('Note', note)),
  ];
}

function looksText({ number, planned, final }: GateAnswer['look']): string {
  if (number === 0) return `none of ${planned} used`;
  return `${number} of ${planned} used${final ? '; the answer is final' : ''}`;
}

const brokenCases = ({ answer, broken }: GateReport): BrokenCase[] =>
  broken.map((one) => ({
    ...one,
    target: answer.targets.length > 1 ? beginning(one.target, MAX_NAME) : undefined,
  }));

/** The rules of a gate. */
export function rulesReport(gate: Gate): Report {
  const { baseline, baseline_eval_id: runId, critical_tags: tags, floor } = gate;
  const source = 'eval_id' in baseline ? 'a run' : `of experiment ${baseline.experiment_id}`;
  return {
    title: `Gate ${gate.id} v${gate.version}`,
    parts: [
      factsPart([
        ['Name', gate.name],
        ['Suite', gate.suite_name ?? '(deleted)'],
        ['Baseline', runId === null ? `none yet (${source})` : `run ${runId} (${source})`],
        ['Models', gate.models?.join(', ') ?? 'those of the baseline'],
        ['Passes', `when ${gate.measure} is shown not to be worse by ${points(gate.margin)}`],
        ...(floor ? [['Floor', floorText(floor)] as Fact] : []),
        ...(tags.length ? [['Critical', `cases tagged ${tags.join(', ')} must not break`] as Fact] : []),
        ['Errors', `more than ${percent(gate.max_errored_share)} errored: not measured`],
        ...sensitivityFacts(gate),
        ['Looks', `${gate.looks}${gate.max_requests === null ? '' : `, up to ${gate.max_requests} requests`}`],
      ]),
    ],
  };
}

const floorText = ({ pass_rate: rate, metrics = {} }: NonNullable<Gate['floor']>): string =>
  [
    ...(rate === undefined ? [] : [`${percent(rate)} of the samples must pass`]),
    ...Object.entries(metrics).map(([name, least]) => `${name} must be at least ${percent(least)} on average`),
  ].join('; ');

/** What its cases can show, before it is run. */
function sensitivityFacts({ sensitivity, margin }: Gate): Fact[] {
  if (!sensitivity) return [];
  const { cases, smallest_loss: loss, smallest_margin: least, can_pass: canPass, cases_needed: needed } = sensitivity;
  const shown = `a loss of about ${points(loss)}, with ${cases.toLocaleString('en')} ${cases === 1 ? 'case' : 'cases'}`;
  if (needed === null) return [['Shows', shown]];
  const reached = canPass ? 'few equal runs pass' : `an equal run passes above a margin of ${points(least)}`;
  return [
    ['Shows', shown],
    ['Margin', `${points(margin)} take about ${Number(needed.toPrecision(2)).toLocaleString('en')} cases: ${reached}`],
  ];
}

export const gatesTable = (gates: readonly Gate[]): string[] =>
  table([
    ['gate', 'name', 'last result', 'worst', 'when', 'version', 'suite', 'measure', 'margin', 'looks', 'baseline'],
    ...gates.map((gate) => [
      gate.id,
      gate.name,
      ...lastCells(gate),
      String(gate.version),
      gate.suite_name ?? '(deleted)',
      gate.measure,
      points(gate.margin),
      String(gate.looks),
      gate.baseline_eval_id ?? 'none',
    ]),
  ]);

function lastCells({ last }: Gate): [result: string, worst: string, at: string] {
  if (!last) return ['-', '-', '-'];
  const { result, worst, at } = last;
  return [RESULT_WORDS[result], worst ? `${worst.target} ${difference(worst.difference, worst.ci)}` : '-', at];
}

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
