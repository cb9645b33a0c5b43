import { defaultCachePolicy } from '#lib/contracts/cache-policy';
import { differenceWords } from '#lib/contracts/difference-words';
import type { JsonObject } from '#lib/contracts/json/json';
import { isFinished } from '#lib/contracts/values/jobs';
import { replyNotes } from '#lib/contracts/reply-notes';
import { RunInput } from '#lib/contracts/run-input';
import type { Result } from '#lib/contracts/result';
import type { Run } from '#lib/contracts/run';
import { explainConversation } from '#lib/scoring/conversation/explain';
import { countFailures, type RunReport } from '../lookup/read-run-report.js';
import { calledText, expectedText } from '../output/calls.js';
import { costOf } from '../output/job-table.js';
import { CONVERSATION_FIGURES_SAY, conversationCells, INTERVALS } from '../output/leaderboard.js';
import { fact, factsPart, heading, MAX_SENTENCE, MAX_TEXT, notice, longFact, text } from '../output/report.js';
import type { Fact, Part, Report } from '../output/report.js';
import { beginning, dollars, percent } from '../output/table.js';
import { caseName } from './comparison.js';
import { judgeParts } from './judge.js';

/** A readable report on a run with its failures and judge reports. */
export function runReport(report: RunReport): Report {
  const { run, judges } = report;
  return {
    title: `${beginning(run.suite.name, MAX_TEXT)} v${run.suite.version}`,
    parts: [
      notice(isFinished(run.status) ? '' : `The run is ${run.status}: its figures are not final.`),
      factsPart(runFacts(run)),
      ...modelParts(report),
      ...errorParts(run),
      ...failureParts(report),
      ...judges.flatMap(judgeSection),
    ],
  };
}

function runFacts(run: Run): Fact[] {
  const { id, name, note, status, submitted_by: user, counts, actual, warnings } = run;
  const { settled, total, errored, passed } = counts;
  const share = settled > 0 ? ` (${percent(errored / settled)})` : '';
  return [
    ['Run', `${id}, ${status.replaceAll('_', ' ')}`],
    ...(name === null ? [] : [fact('Name', name)]),
    ...(note ? [longFact('Note', note)] : []),
    fact('Suite', `${beginning(run.suite.name, MAX_TEXT - 20)} v${run.suite.version}`),
    longFact('Settings', settingsText(run.config)),
    fact('Submitted', `${run.created_at}${user === null ? '' : ` by ${user}`}`),
    ['Items', `${settled} of ${total} settled, ${passed} passed, ${errored} errored${share}`],
    ['Cost', costOf({ actual })],
    ...warnings.slice(0, MAX_WARNINGS).map(({ code, message }) => longFact('Warning', message ?? code)),
  ];
}
const MAX_WARNINGS = 10;

/** The settings of a run that are not the defaults. */
export function settingsText(config: Run['config']): string {
  if (config.recorded === true) return 'recorded replies';
  const { suite_id: _suite, models: _models, ...defaults } = RunInput.parse({ suite_id: 'suite', models: ['model'] });
  const known: Record<string, unknown> = { ...defaults, cache: defaultCachePolicy(config as never) };
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
  const own = Object.entries(config)
    .filter(([name, value]) => name in known && name !== 'experiment_id' && !same(value, known[name]))
    .map(([name, value]) => `${name} ${beginning(JSON.stringify(value), MAX_TEXT)}`);
  const ofModels = ((config.models ?? []) as unknown as ModelSetting[])
    .filter(({ params }) => Object.keys(params ?? {}).length > 0)
    .map(({ provider_key: key, model_id: id, params }) => `params of ${key}::${id} ${JSON.stringify(params)}`);
  return [...own, ...ofModels].join('; ') || 'the defaults';
}
interface ModelSetting {
  provider_key: string;
  model_id: string;
  params?: JsonObject;
}

function modelParts({ run, ranking }: RunReport): Part[] {
  const summaries = new Map(run.summaries.map((summary) => [summary.target, summary]));
  const rows = ranking.items.map(({ target, rank }) => {
    const one = summaries.get(target);
    return [
      rank ? [...new Set(rank)].join(' to ') : 'partial',
      beginning(target, MAX_TEXT),
      percent(one?.overall ?? null),
      one?.overall_ci ? one.overall_ci.map(percent).join(' to ') : '-',
      one ? `${one.passed}/${one.scored}` : '-',
      one ? String(one.errored) : '-',
      dollars(one?.cost_usd ?? null),
    ];
  });
  const cells = [['rank', 'model', 'overall', '95 % interval', 'passed', 'errored', 'cost'], ...rows];
  const figures = conversationCells(run.summaries).map((row) => row.map((cell) => beginning(cell, MAX_TEXT)));
  const methods = new Set(run.summaries.map(({ ci_method: method }) => INTERVALS[method ?? 'bootstrap']));
  return [
    heading('Models'),
    text(beginning(ranking.text ?? '', MAX_SENTENCE)),
    {
      kind: 'table',
      caption: 'Models by mean, with the ranks that the results allow',
      cells,
      notes: [
        ...methods,
        ...run.summaries.flatMap((one) => replyNotes(one, run.config)).map((note) => beginning(note, MAX_SENTENCE)),
      ],
    },
    ...(figures.length > 0
      ? [{ kind: 'table' as const, caption: 'Conversations', cells: figures, notes: [CONVERSATION_FIGURES_SAY] }]
      : []),
  ];
}

function errorParts({ summaries }: Run): Part[] {
  const types = [...new Set(summaries.flatMap((one) => Object.keys(one.error_counts)))].filter(
    (type) => type !== 'none',
  );
  if (types.length === 0) return [];
  const cells = [
    ['model', ...types.map((type) => type.replaceAll('_', ' '))],
    ...summaries.map(({ target, error_counts: counts }) => [
      beginning(target, MAX_TEXT),
      ...types.map((type) => String(counts[type] ?? 0)),
    ]),
  ];
  return [heading('What went wrong'), { kind: 'table', caption: 'Results by error type', cells }];
}

function failureParts({ run, failures }: RunReport): Part[] {
  if (failures.length === 0) return [];
  const cases = failures.map((result) => ({
    name: caseName(result) || result.id,
    facts: [
      fact('Model', result.target),
      fact('Error', result.error_type.replaceAll('_', ' ')),
      ...(result.difference ? [fact('Difference', differenceWords(result.difference))] : []),
      fact('Expected', expectedText(result.expected)),
      fact('Called', calledText(result.called)),
      ...whyOf(result).map((sentence) => fact('Why', sentence)),
      fact('Result', result.id),
    ],
  }));
  const total = countFailures(run);
  return [heading(`Failures: ${total}`), { kind: 'cases', cases, total }];
}

/** What the goal of a conversation says: its calls alone do not tell why it failed. */
const whyOf = ({ evidence, called, passed }: Result): string[] =>
  evidence?.conversation ? explainConversation({ called, passed }, evidence.conversation) : [];

function judgeSection({ report, disagreements }: RunReport['judges'][number]): Part[] {
  const { judge, baseline_eval_id: baseline, calibration, id, version, status } = report;
  const about = baseline === null ? '' : ` against the baseline ${baseline}`;
  return [
    heading(`Judgements by ${beginning(judge, MAX_TEXT)}${about} (${calibration.status})`),
    factsPart([['Report', `${id} v${version}, ${status}`]]),
    ...judgeParts(report, disagreements),
  ];
}
