import type { ResumeInput } from '#lib/contracts/run-input';
import { targetName } from '#lib/contracts/target-name';
import type { WrittenRun } from '#lib/db/engine/write-runs';
import type { ResolvedRun } from './estimate-run.js';

/** What the audit says of a run that is submitted: neither its prompts nor its parameters. */
export function runFacts({ input, targets }: Pick<ResolvedRun, 'input' | 'targets'>, written?: Partial<WrittenRun>) {
  const { name, suite_id, experiment_id, samples, budget, cache, case_filter, prompt_version_id, judge } = input;
  return {
    ...{ name, suite_id, suite_version: written?.suiteVersion },
    models: targets.map(targetName),
    ...{ samples, items: written?.items, budget, experiment_id, cache, case_filter, prompt_version_id },
    judge: judge?.judge,
  };
}

/** What the audit says of a resume. */
export const resumeFacts = (jobId: string, earlier: ResumeInput['budget'], input: ResumeInput | null | undefined) => ({
  before: { budget: earlier },
  after: { budget: input?.budget, job_id: jobId },
});
