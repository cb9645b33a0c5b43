import type { ApiClient } from '#lib/client/api-client';
import type { JudgeReport } from '#lib/judge/contract';
import { readReport } from '../lookup/find-report.js';
import { readArms, readTune } from '../lookup/find-tune.js';
import { readCandidates, readChanges } from '../lookup/read-candidates.js';
import { judgeScreen } from '../output/judge-screen.js';
import { promptTuneScreen } from '../output/prompt-tune-screen.js';
import type { Report } from '../output/report.js';
import { tuneScreen } from '../output/tune-screen.js';
import { judgeReport } from '../reports/judge.js';
import { generationNews, promptTuneReport, type PromptTuneReport } from '../reports/prompt-tune.js';
import { armNews, tuneReport, type TuneReport } from '../reports/tune.js';
import type { Watched } from '../watch-parent.js';

/** A job that creates runs, with its report. */
export interface ShownParent {
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
  watchedOf: (client: ApiClient, id: string) => Watched<View>,
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
      const news = armNews();
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
      const news = generationNews();
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
