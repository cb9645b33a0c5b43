import type { Pool } from '#lib/db/connection/pool';
import type { Orchestration } from '#lib/db/engine/orchestrations';
import type { WatchedRun } from '#lib/judge/rows/for-workers/judged-results';
import type { LoadedRun } from '#lib/db/read/for-workers/load-run';
import type { JudgeState, StoredReport } from '#lib/judge/rows/judge-reports';
import type { JudgeRules } from '#lib/judge/judge-request';
import type { ResolvedTarget } from '#lib/db/engine/submit-run';

/** A report at one of its steps. */
export interface ReportContext {
  pool: Pool;
  orchestration: Orchestration;
  report: StoredReport;
  rules: JudgeRules;
  state: JudgeState;
  watched: WatchedRun;
  judge: ResolvedTarget;
  /** The judged run, and the baseline of a comparison. */
  run: LoadedRun;
  baseline: LoadedRun | undefined;
  signal: AbortSignal;
}
