import { Link } from '@tanstack/react-router';
import { useAction } from '../../../api/action';
import { refreshWork } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { rescoreRun } from '../api';

/** Scores the stored replies of runs with the present version of the scoring. Nothing is asked or paid for. */
export function RescoreRuns({ runIds }: { runIds: readonly string[] }) {
  const refusal = useRefusal('editor');
  const rescore = useAction(rescoreAll, () => Promise.all(runIds.map((id) => refreshWork(id))));
  if (rescore.isSuccess)
    return (
      <span role="status">
        Being rescored:{' '}
        {runIds.map((runId, index) => (
          <span key={runId}>
            {index > 0 && ', '}
            <Link to="/runs/$runId" params={{ runId }}>
              see run {'AB'[index]}
            </Link>
          </span>
        ))}
      </span>
    );
  return (
    <>
      <AllowedButton
        className="dense"
        refusal={refusal}
        disabled={rescore.isPending}
        onClick={() => rescore.mutate(runIds)}
      >
        {runIds.length === 1 ? 'Rescore the baseline' : 'Rescore both runs'}
      </AllowedButton>
      {rescore.error && <ErrorNotice error={rescore.error} />}
    </>
  );
}

const rescoreAll = (ids: readonly string[], { idempotencyKey }: { idempotencyKey: string }): Promise<unknown> =>
  Promise.all(ids.map((id, index) => rescoreRun(id, {}, { idempotencyKey: `${idempotencyKey}-${index}` })));
