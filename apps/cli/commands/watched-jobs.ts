import type { ApiClient } from '#lib/client/api-client';
import type { JudgeReport } from '#lib/judge/contract';
import type { GlobalOptions } from '../command.js';
import { EXIT, exitWith } from '../exit-codes.js';
import { readReport } from '../lookup/find-report.js';
import { readArms, readTune } from '../lookup/find-tune.js';
import { readCandidates, readChanges } from '../lookup/read-candidates.js';
import { judgeScreen } from '../output/judge-screen.js';
import { promptTuneScreen } from '../output/prompt-tune-screen.js';
import { printReport } from '../output/report-lines.js';
import type { Report } from '../output/report.js';
import { print, printError, printJson, writeLines } from '../output/terminal.js';
import { tuneScreen } from '../output/tune-screen.js';
import { judgeReport } from '../reports/judge.js';
import { newStepLines, promptTuneReport, type PromptTuneReport } from '../reports/prompt-tune.js';
import { newArmLines, tuneReport, type TuneReport } from '../reports/tune.js';
import type { WatchedJob } from '../watch-parent.js';

/** A job that creates runs, with its report. */
interface ShownParent {
  parent: TuneReport['tune'] | PromptTuneReport['tune'] | JudgeReport;
  report: Report;
}

/** How the commands handle a type of parent job. */
interface ParentKind {
  /** Display name: "tune" */
  name: string;
  /** The command that shows it: "toolmark tunes show" */
  show: string;
  read(client: ApiClient, id: string): Promise<ShownParent>;
  /** Waits for its end. */
  watch(client: ApiClient, jobId: string, id: string, options: { silent: boolean }): Promise<ShownParent>;
}

const kindOf = <View>(
  [name, show]: [name: string, show: string],
  watchedOf: (client: ApiClient, id: string) => WatchedJob<View>,
  shownOf: (view: View, client: ApiClient) => ShownParent | Promise<ShownParent>,
): ParentKind => ({
  name,
  show,
  read: async (client, id) => shownOf(await watchedOf(client, id).read(), client),
  async watch(client, jobId, id, options) {
    const { watchParent } = await import('../watch-parent.js');
    return shownOf(await watchParent(client, jobId, watchedOf(client, id), options), client);
  },
});

export const PARENT_KINDS = {
  param_tune: kindOf<TuneReport>(
    ['tune', 'toolmark tunes show'],
    (client, id) => {
      const news = newArmLines();
      return {
        read: async () => ({ tune: await readTune(client, 'param_tune', id), arms: await readArms(client, id) }),
        draw: (view, job, columns, rows) => tuneScreen({ ...view, job }, columns, rows),
        news: ({ arms }) => news(arms),
      };
    },
    (view) => ({ parent: view.tune, report: tuneReport(view) }),
  ),
  prompt_tune: kindOf<Omit<PromptTuneReport, 'diff'>>(
    ['tune', 'toolmark tunes show'],
    (client, id) => {
      const news = newStepLines();
      return {
        read: async () => ({
          tune: await readTune(client, 'prompt_tune', id),
          candidates: await readCandidates(client, id),
        }),
        draw: (view, job, columns, rows) => promptTuneScreen({ ...view, job }, columns, rows),
        news: ({ tune, candidates }, isOver) => news(candidates, tune.step === 'search' && !isOver),
      };
    },
    async ({ tune, candidates }, client) => {
      const diff = tune.best ? await readChanges(client, tune.id, tune.best, 0) : [];
      return { parent: tune, report: promptTuneReport({ tune, candidates, diff }) };
    },
  ),
  judge: kindOf<JudgeReport>(
    ['report', 'toolmark judges show'],
    (client, id) => ({
      read: () => readReport(client, id),
      draw: (report, job, columns, rows) => judgeScreen({ report, job }, columns, rows),
    }),
    (report) => ({ parent: report, report: judgeReport(report) }),
  ),
};
export type ParentType = keyof typeof PARENT_KINDS;

export interface FollowParentOptions extends GlobalOptions {
  watch?: boolean;
  /** A file for the report. */
  markdown?: string;
}

/** A job and its tune or report, as the API answers a submit. */
export interface SubmittedParent {
  job_id: string;
  tune_id?: string;
  report_id?: string;
}

/** Prints what was submitted, or waits for the end and reports if a watch or a report was requested. */
export async function followParent(
  client: ApiClient,
  type: ParentType,
  submitted: SubmittedParent,
  { watch, markdown, json }: FollowParentOptions,
): Promise<void> {
  const { job_id: jobId } = submitted;
  const id = (submitted.tune_id ?? submitted.report_id)!;
  const { name, show } = PARENT_KINDS[type];
  if (watch || markdown !== undefined) {
    const shown = await watchToEnd(client, type, { id, job_id: jobId }, { json });
    if (markdown !== undefined) writeLines(markdown, await markdownOf(shown));
    if (json) printJson(shown.parent);
    else printReport(shown.report);
    exitByStatus(type, shown.parent, { json });
  } else if (json) printJson(submitted);
  else print(`Submitted: ${name} ${id}, job ${jobId}`, `Follow it with: ${show} ${id} --watch`);
}

export const markdownOf = async ({ report }: ShownParent): Promise<string[]> =>
  (await import('../output/report-markdown.js')).reportMarkdown(report);

/** Waits for the end of a parent job. */
export function watchToEnd(
  client: ApiClient,
  type: ParentType,
  { id, job_id: jobId }: { id: string; job_id: string },
  { json }: GlobalOptions,
): Promise<ShownParent> {
  const { name, show, watch } = PARENT_KINDS[type];
  return watch(client, jobId, id, { silent: json === true }).catch((error: Error) => {
    throw new Error(
      `Watching stopped; the ${name} continues on the server: ${name} ${id}, job ${jobId} (${show} ${id}).`,
      { cause: error },
    );
  });
}

/** A parent job that was stopped has no valid answer, whatever it found until then. */
export function exitByStatus(
  type: ParentType,
  { status, job_id: jobId }: ShownParent['parent'],
  { json }: GlobalOptions,
): void {
  if (status === 'completed') return;
  exitWith(EXIT.negative);
  if (!json) printError(`The ${PARENT_KINDS[type].name} is ${status}. Continue with: toolmark resume ${jobId}`);
}
