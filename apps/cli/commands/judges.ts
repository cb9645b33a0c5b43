import { Option, type Command } from 'commander';
import type { ApiClient } from '#lib/client/api-client';
import type { Calibration, Judgement, JudgeReport, JudgeSetting, JudgeSubmitted } from '#lib/judge/contract';
import { examples, listByDefault, number, serverAction, subcommand, type GlobalOptions } from '../command.js';
import { findReport, JUDGE_ROUTE, REPORTS_ROUTE } from '../lookup/find-report.js';
import { findRun } from '../lookup/find-run.js';
import { readDisagreements } from '../lookup/read-disagreements.js';
import { addListOptions, DEFAULT_LIMIT, printList, readList, type ListOptions } from '../lookup/read-list.js';
import { printReport } from '../output/report-lines.js';
import { printJson } from '../output/terminal.js';
import { calibrationReport, judgementsTable, judgeReport, reportsTable, settingReport } from '../reports/judge.js';
import { exitByStatus, followParent, watchToEnd } from './watched-jobs.js';
import { queryOf } from '../query.js';
import { textOrFile } from './settings.js';
import { addDelete } from './delete.js';
import { OPINIONS, AGREEMENTS, JUDGEMENT_STATES } from '#lib/contracts/values/judging';

const REPORT = ['<report>', 'id or id prefix of a report or its job'] as const;
const SETTING_ROUTE = '/api/settings/judge';
interface ShowOptions extends GlobalOptions {
  watch?: boolean;
  disagreements?: boolean;
}
interface JudgementsOptions extends ListOptions {
  said?: string;
  agreement?: string;
  state?: string;
  model?: string;
  disputed?: boolean;
  suspicious?: boolean;
}
interface CalibrationOptions extends GlobalOptions {
  judge?: string;
  report?: string;
}
interface SettingOptions extends GlobalOptions {
  /** False with --no-judge. */
  judge?: string | false;
  instructions?: string;
  autoBelow?: number;
}

export function addJudges(program: Command): void {
  const list = serverAction<Partial<ListOptions>, [string?]>(listReports);
  const judges = subcommand(program, 'judges', 'list judge reports, calibrate judges, and set the default judge');
  listByDefault(judges, list).addHelpText(...examples('toolmark judges', 'toolmark judges show REPORT'));
  const listing = subcommand(judges, 'list', 'list reports, newest first')
    .argument('[run]', 'only reports on this run')
    .action(list);
  addListOptions(listing).addHelpText(...examples('toolmark judges list RUN'));
  addReports(judges);
  subcommand(judges, 'calibration', "compare a judge with people's labels")
    .option('-j, --judge <model>', "the judge (default: the team's judge)")
    .option('--report <report>', 'the judge of this report, with its instructions')
    .action(serverAction<CalibrationOptions>(showCalibration))
    .addHelpText(...examples('toolmark judges calibration --judge simulator::judge:right'));
  subcommand(judges, 'settings', 'show the default judge of the team, or change its settings')
    .option('-j, --judge <model>', 'the default judge')
    .option('--no-judge', 'have no default judge')
    .option('--instructions <text>', 'instructions for judges; empty for none; @FILE reads a file')
    .option('--auto-below <score>', 'automatically judge runs that score below this, 0 to 1; 0 for never', number)
    .action(serverAction<SettingOptions>(showSetting))
    .addHelpText(
      ...examples('toolmark judges settings', 'toolmark judges settings --judge simulator::judge:right --auto-below 0'),
    );
}

function addReports(judges: Command): void {
  subcommand(judges, 'show', "show a judge's report on a run")
    .argument(...REPORT)
    .option('-w, --watch', 'wait for it to finish first')
    .option('--disagreements', 'include disagreements with the scores, and expectations that the judge finds at fault')
    .action(serverAction<ShowOptions, [string]>(showReport))
    .addHelpText(...examples('toolmark judges show REPORT', 'toolmark judges show REPORT --disagreements'));
  const judgements = subcommand(judges, 'judgements', 'list the judgements of a report')
    .argument(...REPORT)
    .addOption(new Option('--said <judgement>', 'only results with this judgement').choices(OPINIONS))
    .addOption(new Option('--agreement <how>', 'only this agreement between judge and score').choices(AGREEMENTS))
    .addOption(new Option('--state <state>', 'only judgements in this state').choices(JUDGEMENT_STATES))
    .option('--model <model>', 'only results of this model: provider::model')
    .option('--disputed', 'only judgements that the label of people contradicts')
    .option('--suspicious', 'only replies that address a grader');
  addListOptions(judgements).action(serverAction<JudgementsOptions, [string]>(listJudgements));
  judgements.addHelpText(...examples('toolmark judges judgements REPORT --said wrong'));
  subcommand(judges, 'rerun', 'create the next version of a report, with the same settings')
    .argument(...REPORT)
    .option('--no-watch', 'do not wait for it to finish')
    .action(serverAction<GlobalOptions & { watch: boolean }, [string]>(rerunReport))
    .addHelpText(...examples('toolmark judges rerun REPORT'));
  addDelete(
    judges,
    'report',
    ["delete a report with its judgements; people's labels stay", 'toolmark judges delete OLD_REPORT'],
    REPORT,
    async (client, wanted) => `${REPORTS_ROUTE}/${(await findReport(client, wanted)).id}`,
  );
}

async function listReports(client: ApiClient, options: Partial<ListOptions>, run?: string): Promise<void> {
  const query = queryOf({ eval_id: run === undefined ? undefined : (await findRun(client, run)).id });
  const list = await readList<JudgeReport>(client, `${REPORTS_ROUTE}?${query}`, { limit: DEFAULT_LIMIT, ...options });
  const none = run === undefined ? 'No judge reports yet.' : 'No judge reports on this run yet.';
  printList(list, options, `${none} Start one: toolmark judge --help`, reportsTable);
}

async function showReport(client: ApiClient, options: ShowOptions, wanted: string): Promise<void> {
  const found = await findReport(client, wanted);
  if (options.disagreements && found.baseline_eval_id !== null)
    throw new Error('A comparison of two runs has no disagreements with scores: leave out --disagreements.');
  const report = options.watch ? ((await watchToEnd(client, 'judge', found, options)).parent as JudgeReport) : found;
  const disagreements = options.disagreements ? await readDisagreements(client, report) : undefined;
  if (options.json) printJson({ ...report, ...(disagreements && { disagreements }) });
  else printReport(judgeReport(report, disagreements));
  if (options.watch) exitByStatus('judge', report, options);
}

async function listJudgements(
  client: ApiClient,
  { said, agreement, state, model, disputed, suspicious, ...options }: JudgementsOptions,
  wanted: string,
): Promise<void> {
  const { id, calibration } = await findReport(client, wanted);
  const query = queryOf({ verdict: said, agreement, state, target: model, disputed, suspicious });
  const list = await readList<Judgement>(client, `${REPORTS_ROUTE}/${id}/verdicts?${query}`, options);
  const none = query.size > 0 ? 'No judgements match.' : 'The report has no judgements.';
  printList(list, options, none, (items) => [calibration.text, '', ...judgementsTable(items)]);
}

async function rerunReport(
  client: ApiClient,
  options: GlobalOptions & { watch: boolean },
  wanted: string,
): Promise<void> {
  const { id } = await findReport(client, wanted);
  await followParent(
    client,
    'judge',
    await client.call<JudgeSubmitted>('POST', `${REPORTS_ROUTE}/${id}/rerun`),
    options,
  );
}

async function showCalibration(client: ApiClient, options: CalibrationOptions): Promise<void> {
  const { judge, report } = options;
  if (judge !== undefined && report !== undefined) throw new Error('Choose one of --judge and --report.');
  const reportId = report === undefined ? undefined : (await findReport(client, report)).id;
  const calibration = await readCalibration(client, { judge, report_id: reportId });
  if (options.json) printJson(calibration);
  else printReport(calibrationReport(calibration));
}

export const readCalibration = (
  client: ApiClient,
  judge: { judge?: string | undefined; report_id?: string | undefined },
): Promise<Calibration> => client.call('GET', `${JUDGE_ROUTE}/calibration?${queryOf(judge)}`);

/** Omitted settings stay unchanged. */
async function showSetting(client: ApiClient, options: SettingOptions): Promise<void> {
  const { judge, instructions, autoBelow } = options;
  const given = {
    ...(judge !== undefined && { judge: judge === false ? null : judge }),
    ...(instructions !== undefined && { instructions: textOrFile(instructions) }),
    ...(autoBelow !== undefined && { auto_below: autoBelow }),
  };
  const now = await client.call<JudgeSetting>('GET', SETTING_ROUTE);
  const setting =
    Object.keys(given).length === 0 ? now : await client.call<JudgeSetting>('PUT', SETTING_ROUTE, { ...now, ...given });
  if (options.json) printJson(setting);
  else printReport(settingReport(setting));
}
