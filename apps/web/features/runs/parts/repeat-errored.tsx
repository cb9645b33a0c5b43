import { useAction } from '../../../api/action';
import { refreshWork } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { resumeRun } from '../api';

interface Props {
  /** Runs with errored or missing results. */
  runIds: readonly string[];
}

/** Repeats what errored, and runs what is missing. Scored results stay. */
export function RepeatErrored({ runIds }: Props) {
  const refusal = useRefusal('editor');
  const resume = useAction(resumeAll, () => Promise.all(runIds.map((id) => refreshWork(id))));
  return (
    <>
      <AllowedButton
        className="dense"
        refusal={refusal}
        disabled={resume.isPending || resume.isSuccess}
        onClick={() => resume.mutate(runIds)}
      >
        {resume.isSuccess ? 'Repeating' : 'Repeat what errored'}
      </AllowedButton>
      {resume.error && <ErrorNotice error={resume.error} />}
    </>
  );
}

/** A run of several may have nothing to repeat. */
async function resumeAll(ids: readonly string[], { idempotencyKey }: { idempotencyKey: string }): Promise<void> {
  const resumed = await Promise.allSettled(
    ids.map((id, index) => resumeRun(id, { idempotencyKey: `${idempotencyKey}-${index}` })),
  );
  const [first] = resumed.filter((one) => one.status === 'rejected');
  if (first && resumed.every((one) => one.status === 'rejected')) throw first.reason as Error;
}
