import { createContext, Suspense, use, type ReactNode } from 'react';
import type { Facts } from '#lib/contracts/input/problem';
import type { NoteCode } from '#lib/contracts/note-codes';
import type { ProblemCode } from '#lib/contracts/problem-codes';

/** The problems and notes that the page has a button or a link for. */
export const CODES_WITH_AN_ACT = [
  ...['no_prices', 'monthly_cap_reached', 'budget_spent', 'jobs_limit', 'no_default_judge', 'no_embedding_model'],
  ...['unknown_model', 'provider_exists', 'provider_without_models', 'models_not_listed', 'provider_in_use'],
  ...['suite_empty', 'suite_all_drafts', 'prompt_version_limit', 'experiment_archived'],
  ...['baseline_unusable', 'run_unfinished', 'job_unfinished', 'adds_samples', 'name_taken'],
  ...['baseline_one_sample', 'samples_differ', 'baseline_errored', 'errors_could_overturn'],
  ...['scoring_versions', 'expectations_changed'],
] as const satisfies readonly (ProblemCode | NoteCode)[];
export type CodeWithAnAct = (typeof CODES_WITH_AN_ACT)[number];

export interface Coded {
  code: CodeWithAnAct;
  params: Facts;
}

/** What the features offer for a code. The frame of the page provides it, since `ui` knows no feature. */
export const ActContext = createContext<(coded: Coded) => ReactNode>(() => null);

/** A button or a link that does what a problem or a note asks for; nothing where there is none. */
export function WayOut({ code, params = {} }: { code?: string; params?: Facts }) {
  const actOf = use(ActContext);
  const known = CODES_WITH_AN_ACT.find((one) => one === code);
  if (known === undefined) return null;
  return (
    <span className="way-out">
      <Suspense>{actOf({ code: known, params })}</Suspense>
    </span>
  );
}
