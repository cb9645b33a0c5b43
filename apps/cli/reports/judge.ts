import type { Calibration, JudgedTarget, Judgement, JudgeReport, JudgeSetting } from '#lib/judge/contract';
import { fact, factsPart, heading, MAX_SENTENCE, MAX_TEXT, notice, oneLine, longFact, text } from '../output/report.js';
import type { Fact, Part, Report } from '../output/report.js';
import { shellLine } from '../output/shell-words.js';
import { beginning, dollars, percent, shareText, table } from '../output/table.js';
import { caseName } from './comparison.js';

const MAX_SENTENCES = 10;

/** A judge's report on a run, or on two. */
export const judgeReport = (report: JudgeReport, disagreements?: readonly Disagreement[]): Report => ({
  title: `Report ${report.id} v${report.version} is ${report.status} (job ${report.job_id}).`,
  parts: [
    ...judgeParts(report, disagreements ?? []),
    text(disagreements?.length === 0 ? 'The judge agrees with every score.' : ''),
    { kind: 'commands', commands: nextCommands(report), elsewhere: `toolmark judges show ${report.id}` },
  ],
});

/** The parts of a judge's report, with its calibration above all figures. */
export const judgeParts = (report: JudgeReport, disagreements: readonly Disagreement[]): Part[] => {
  const { status } = report.calibration;
  const cells = judgedTable(report);
  return [
    notice(calibrationText(report)),
    factsPart(reportFacts(report)),
    { kind: 'table', caption: `Judgements (${status})`, cells, notes: tableNotes(report) },
    text(cells.length > 1 ? '' : 'No results are judged yet.'),
    ...summaryParts(report),
    ...shownDisagreements(disagreements).flatMap(({ title, judgements, total }): Part[] => [
      heading(`${title} (${status})`, 3),
      {
        kind: 'cases',
        cases: judgements.map((one) => ({ name: judgementName(one), facts: judgementFacts(one) })),
        total,
      },
    ]),
  ];
};

/** How well labels confirm the judge, in the server's words. */
export const calibrationText = ({ calibration }: Pick<JudgeReport, 'calibration'>): string =>
  beginning(calibration.text, MAX_SENTENCE);

/** The settings and the usage of a report, each under a heading, in reading order. */
function reportFacts(report: JudgeReport): Fact[] {
  const { judge, self_judged: self, input, usage, error, notes } = report;
  const samples = input.samples === 1 ? 'once' : `${input.samples} times`;
  const reference = input.reference ? 'with the expectation of the case as a reference' : 'without a reference';
  const tokens = `${usage.prompt_tokens} + ${usage.completion_tokens} tokens`;
  return [
    fact('Judge', `${judge}${self ? ', which judges a model of its own kind' : ''}`),
    ['Judges', subjectText(report)],
    ['How', `each ${samples}, ${reference}`],
    ...(input.instructions ? [fact('Instructions', oneLine(input.instructions))] : []),
    ['Judged', judgedText(report)],
    [
      'Took',
      `${usage.requests} requests, ${tokens}, cost ${report.cost_usd === null ? 'unknown' : dollars(report.cost_usd)}`,
    ],
    ...(error === null ? [] : [longFact('Stopped', error)]),
    ...notes.map((note) => longFact('Note', note)),
  ];
}

function subjectText({ eval_id: run, baseline_eval_id: baseline, input }: JudgeReport): string {
  if (baseline !== null) return `run ${run} against the baseline ${baseline}`;
  if (input.which === 'all') return `all of run ${run}`;
  if (input.which === 'sample') return `up to ${input.sample_size} results of run ${run}, drawn at random`;
  const below = input.below < 1 ? ` that scored below ${percent(input.below)}` : '';
  return `failed results of run ${run}${below}`;
}

const judgedText = ({ judged, errored, items }: Pick<JudgeReport, 'judged' | 'errored' | 'items'>): string =>
  `${judged} of ${items}${errored > 0 ? `, ${errored} errored` : ''}`;

/** "0.62 (0.40 to 0.84)" */
export function kappaText(kappa: number | null, ci: Interval | null): string {
  if (kappa === null) return '-';
  return ci ? `${digits(kappa)} (${ci.map(digits).join(' to ')})` : digits(kappa);
}
type Interval = [number, number];
/** A number that rounds to zero has no sign. */
const digits = (value: number): string => (Math.round(value * 100) / 100 || 0).toFixed(2);

/** A heading and a row for each model, or each compared pair of models; only the heading if there are none. */
export const judgedTable = (report: JudgeReport): string[][] =>
  report.baseline_eval_id === null ? targetTable(report) : pairTable(report);

function targetTable(report: JudgeReport): string[][] {
  const { targets, judged, errored, share_ok, share_ok_ci, kappa, kappa_ci } = report;
  const sum = (count: (target: JudgedTarget) => number): number =>
    targets.reduce((total, target) => total + count(target), 0);
  const all: JudgedTarget = {
    ...{ target: 'all', judged, errored, share_ok, share_ok_ci, kappa, kappa_ci },
    counts: {
      correct: sum(({ counts }) => counts.correct),
      acceptable: sum(({ counts }) => counts.acceptable),
      wrong: sum(({ counts }) => counts.wrong),
      cannot_tell: sum(({ counts }) => counts.cannot_tell),
    },
    kinder: sum(({ kinder }) => kinder),
    stricter: sum(({ stricter }) => stricter),
    expectation_at_fault: sum(({ expectation_at_fault: fault }) => fault),
    suspicious: sum(({ suspicious }) => suspicious),
  };
  return [TARGET_HEADING, ...[...targets, ...(targets.length > 1 ? [all] : [])].map(targetRow)];
}

const TARGET_HEADING = [
  ...['model', 'judged', 'errored', 'correct', 'acceptable', 'wrong', 'cannot tell', 'ok (95 %)', 'kappa (95 %)'],
  ...['kinder', 'stricter', 'expectation at fault', 'suspicious'],
];

const targetRow = (target: JudgedTarget): string[] => [
  beginning(target.target, MAX_TEXT),
  ...[target.judged, target.errored].map(String),
  ...[target.counts.correct, target.counts.acceptable, target.counts.wrong, target.counts.cannot_tell].map(String),
  shareText(target.share_ok, target.share_ok_ci),
  kappaText(target.kappa, target.kappa_ci),
  ...[target.kinder, target.stricter, target.expectation_at_fault, target.suspicious].map(String),
];

const pairTable = ({ pairs }: JudgeReport): string[][] => [
  ['model', 'against', 'wins', 'losses', 'ties', 'flips', 'errored', 'preferred (95 %)'],
  ...pairs.map((pair) => [
    beginning(pair.b, MAX_TEXT),
    beginning(pair.a, MAX_TEXT),
    ...[pair.wins, pair.losses, pair.ties, pair.position_flips, pair.errored].map(String),
    shareText(pair.preference, pair.preference_ci),
  ]),
];

/** The server's verdict on each pair of models, and explanations of columns that need them. */
const tableNotes = ({ baseline_eval_id: baseline, pairs }: JudgeReport): string[] =>
  baseline === null
    ? [
        'ok: correct or acceptable, among results that the judge could decide. kappa: agreement with pass and fail, ' +
          '1 if full and 0 if by chance. Judgements do not change scores.',
      ]
    : [
        ...pairs.map((pair) => beginning(pair.text, MAX_SENTENCE)),
        'flips: ties where the judge changed its answer when the replies were swapped. Judgements change no scores.',
      ];

/** The judge's summary, with headings. Headings without sentences are left out. */
const summaryParts = ({ strengths, weaknesses, recommendations }: JudgeReport): Part[] =>
  Object.entries({ Strengths: strengths, Weaknesses: weaknesses, Recommendations: recommendations })
    .filter(([, sentences]) => sentences.length > 0)
    .flatMap(([name, sentences]): Part[] => [
      heading(name, 3),
      { kind: 'list', items: sentences.slice(0, MAX_SENTENCES).map(oneLine) },
    ]);

export const DISAGREEMENTS = ['expectation_at_fault', 'kinder', 'stricter'] as const;
export type DisagreementKind = (typeof DISAGREEMENTS)[number];
/** Where a judge contradicts the score, or the suite: the list for correcting the suite. */
export interface Disagreement {
  kind: DisagreementKind;
  /** Total number. */
  total: number;
  /** The first of them. */
  judgements: Judgement[];
}

const DISAGREEMENT_TEXTS: Record<DisagreementKind, string> = {
  expectation_at_fault: 'The judge finds the expectation of the case at fault',
  kinder: 'Kinder: failed, but the judge accepts it',
  stricter: 'Stricter: passed, but the judge finds it wrong',
};

/** The number of results of each kind of disagreement, over all models. */
export const countDisagreements = ({ targets }: Pick<JudgeReport, 'targets'>, kind: DisagreementKind): number =>
  targets.reduce((sum, target) => sum + target[kind], 0);

/** Each judgement once, under its first kind, and the number of each kind that is not shown anywhere. */
function shownDisagreements(
  disagreements: readonly Disagreement[],
): { title: string; judgements: Judgement[]; total: number }[] {
  const seen = new Set<number>();
  return disagreements.map(({ kind, total, judgements }) => {
    const own = judgements.filter(({ position }) => !seen.has(position));
    for (const { position } of own) seen.add(position);
    const more = Math.max(0, total - judgements.length);
    return { title: `${DISAGREEMENT_TEXTS[kind]}: ${total}`, judgements: own, total: own.length + more };
  });
}

const judgementName = (judgement: Judgement): string => caseName(judgement) || judgement.result_id;

/** The judgement of one result, with headings. */
function judgementFacts(judgement: Judgement): Fact[] {
  const { target, result_id: result, judged, preference, flipped, reasons, suspicious, error } = judgement;
  return [
    fact('Model', target),
    ['Result', `${result}, which ${judgement.passed ? 'passed' : 'did not pass'}`],
    ...(judged ? [fact('Judgement', opinionText(judged))] : []),
    ...(preference
      ? [fact('Judgement', `${preference}${flipped ? ', decided by the order of the replies' : ''}`)]
      : []),
    ...(judged?.expectation_at_fault ? [fact('Expectation', oneLine(judged.expectation_note || 'at fault'))] : []),
    ...reasons.slice(0, MAX_SENTENCES).map((reason) => longFact('Why', oneLine(reason))),
    ...(suspicious ? [fact('Suspicious', 'the reply addresses a grader; the stricter judgement counts')] : []),
    ...(error === null ? [] : [longFact('Errored', error)]),
  ];
}

const spaced = (name: string): string => name.replaceAll('_', ' ');
const opinionText = ({ verdict, tool, arguments: args }: NonNullable<Judgement['judged']>): string =>
  `${spaced(verdict)} (tools ${spaced(tool)}, arguments ${spaced(args)})`;

/** Commands for the next steps after a report. */
function nextCommands({ id, eval_id: run, judge, calibration, ...report }: JudgeReport): Fact[] {
  const isDisputed = DISAGREEMENTS.some((kind) => countDisagreements(report, kind) > 0);
  return [
    ...(isDisputed ? [['Look at it', `toolmark judges show ${id} --disagreements`] as Fact] : []),
    ...(calibration.status === 'uncalibrated' && report.baseline_eval_id === null
      ? [['Calibrate it', shellLine(['toolmark', 'label', run, '--judge', judge])] as Fact]
      : []),
  ];
}

/** How well labels confirm a judge. */
export function calibrationReport(calibration: Calibration): Report {
  const { judge, instructions, report_id: report, reports, labels, asked, kappa, ci, linear, ok, wrong } = calibration;
  const confirmed = ({ n, share, ci: interval }: Calibration['ok']): string =>
    n === 0 ? 'none labelled' : `${shareText(share, interval)} confirmed, of ${n} labelled`;
  const facts: Fact[] = [
    fact('Judge', judge),
    ...(instructions ? [fact('Instructions', oneLine(instructions))] : []),
    ['Reports', report === null ? 'none' : `${reports}, the newest ${report}`],
    ['Labels', `${labels} of the ${asked} that a calibration needs`],
    ['Kappa', `${kappaText(kappa, ci)}; over three levels ${kappaText(linear.kappa, linear.ci)}`],
    ['Judged ok', confirmed(ok)],
    ['Judged wrong', confirmed(wrong)],
    ...(calibration.left_out > 0
      ? [['Left out', `${calibration.left_out} labels of results not drawn at random`] as Fact]
      : []),
  ];
  return { title: calibration.text, parts: [factsPart(facts)] };
}

/** The judge of a team. */
export const settingReport = ({ judge, instructions, auto_below: below }: JudgeSetting): Report => ({
  title: 'The default judge of the team',
  parts: [
    factsPart([
      ['Judge', judge ?? 'none'],
      [
        'Judges',
        below === 0
          ? 'no runs automatically'
          : `automatically, the failed results of runs that score below ${percent(below)}`,
      ],
    ]),
    { kind: 'list', folded: 'Instructions', items: instructions === '' ? [] : instructions.split('\n') },
  ],
});

export const reportsTable = (reports: readonly JudgeReport[]): string[] =>
  table([
    [
      'report',
      'status',
      'run',
      'judge',
      'judged',
      'ok (95 %)',
      'kappa (95 %)',
      'calibration',
      'started by',
      'submitted',
    ],
    ...reports.map((report) => [
      `${report.id} v${report.version}`,
      report.status,
      report.baseline_eval_id === null ? report.eval_id : `${report.eval_id} against ${report.baseline_eval_id}`,
      beginning(report.judge, MAX_TEXT),
      judgedText(report),
      shareText(report.share_ok, report.share_ok_ci),
      kappaText(report.kappa, report.kappa_ci),
      report.calibration.status,
      SOURCES[report.source],
      report.created_at,
    ]),
  ]);

const SOURCES: Record<JudgeReport['source'], string> = {
  user: 'a user',
  inline: 'its run',
  after: 'its run',
  auto: 'the settings',
};

/** Judgements, one per line. */
export const judgementsTable = (judgements: readonly Judgement[]): string[] =>
  table([
    ['result', 'case', 'model', 'score', 'judgement', 'compared with the score', 'why'],
    ...judgements.map((one) => [
      one.result_id,
      judgementName(one),
      beginning(one.target, MAX_TEXT),
      one.passed ? 'pass' : 'FAIL',
      judgementText(one),
      one.agreement ?? '-',
      beginning(one.error ?? one.reasons.join(' '), MAX_TEXT),
    ]),
  ]);

function judgementText({ state, judged, preference, flipped, suspicious }: Judgement): string {
  if (!judged && !preference) return state;
  const marks = [
    ...(flipped ? ['flipped'] : []),
    ...(judged?.expectation_at_fault ? ['expectation at fault'] : []),
    ...(suspicious ? ['suspicious'] : []),
  ];
  return [(judged?.verdict ?? preference!).replaceAll('_', ' '), ...marks].join(', ');
}
