import { ProblemError } from '#lib/contracts/input/problem';
import { targetName } from '#lib/contracts/target-name';
import type { JudgeStep } from '#lib/judge/rows/store-report';
import { readWatchedRun } from '#lib/judge/rows/for-workers/judged-results';
import { loadRun } from '#lib/db/read/for-workers/load-run';
import { findModelNamed } from '#lib/judge/rows/for-workers/model-named';
import { WAITS_FOR_RESULTS, type JudgeState, type StoredReport } from '#lib/judge/rows/judge-reports';
import { targetsOfJudge, describeSelfJudging } from '#lib/judge/same-model';
import type { OrchestrationKind } from '../orchestration/kind.js';
import type { ReportContext } from './report-context.js';
import { judgeBatches } from './judge-batches.js';
import { summarise } from './summarise.js';

/**
 * The steps of a report: `judge` chooses results and has them judged in batches, as requests that are items of a run;
 * `summarise` has the judge summarise its judgements.
 */
export const judge: OrchestrationKind = {
  type: 'judge',
  waits: WAITS_FOR_RESULTS,
  async nextStep({ pool, orchestration, signal }) {
    const { id, teamId } = orchestration;
    const report = orchestration.input as StoredReport;
    const state = orchestration.state as JudgeState;
    const { asked, judge: name } = report;
    const watched = await readWatchedRun(pool, id);
    const run = watched && (await loadRun(pool, watched.runId));
    if (!run) throw new ProblemError(422, 'The run was deleted while it was being judged.');
    const baseline = watched.baselineId === null ? undefined : await loadRun(pool, watched.baselineId);
    const model = await findModelNamed(pool, teamId, name);
    if (!model)
      throw new ProblemError(
        422,
        `The judge ${name} is not a model of the team. Add it again and resume the report, or name another judge.`,
      );
    const judged = [run, ...(baseline ? [baseline] : [])].flatMap(({ targets }) => targets.map(targetName));
    const own = targetsOfJudge(name, judged);
    if (own.length > 0 && !asked.allow_self) throw new ProblemError(422, describeSelfJudging(name, own));
    const here: ReportContext = {
      pool,
      orchestration,
      report,
      rules: { instructions: asked.instructions ?? '', reference: asked.reference },
      state: { ...state, selfJudged: own.length > 0 },
      watched,
      judge: model,
      run,
      baseline,
      signal,
    };
    switch (orchestration.step as JudgeStep) {
      case 'judge':
        return judgeBatches(here);
      case 'summarise':
        return summarise(here);
    }
  },
};
