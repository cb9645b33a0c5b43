import { ProblemError } from '#lib/contracts/input/problem';

/** The step of a run that tries a case out: no list shows it, whatever the filter. */
export const TRY_STEP = 'try';

/** The refusal of an action that is not possible on a child run alone. @param wayOut a sentence */
export const partOfJob = (what: 'run' | 'job', orchestrationId: string, wayOut: string): ProblemError =>
  new ProblemError(409, `The ${what} belongs to a gate run or a tune, "${orchestrationId}". ${wayOut}`).as(
    'part_of_job',
    { parent_id: orchestrationId },
  );

/** SQL: the parent of the run `r` was not deleted (`hideParents`): a run whose parent was is removed within minutes. */
export const HAS_NO_DELETED_PARENT = `NOT EXISTS (
  SELECT 1 FROM orchestration gone WHERE gone.id = r.orchestration_id AND gone.team_id = gone.id)`;
