import type { Experiment } from '#lib/contracts/experiment';
import { useAction } from '../../../../api/action';
import { pinBaseline, refreshExperiments } from '../../api';
import { useRefusal } from '../../../../api/session';
import { ErrorNotice } from '../../../../ui/error-notice';

/** Makes a run the baseline: all other runs are compared again. */
export function PinButton({ experiment, runId, number }: { experiment: Experiment; runId: string; number?: number }) {
  const refusal = useRefusal('editor');
  const pin = useAction(pinBaseline, refreshExperiments);
  return (
    <>
      <button
        type="button"
        className="dense"
        disabled={refusal !== undefined || pin.isPending}
        title={refusal ?? 'Compares all runs with it again'}
        aria-label={number === undefined ? undefined : `Pin as baseline: number ${number}`}
        onClick={() => pin.mutate({ id: experiment.id, evalId: runId })}
      >
        Pin as baseline
      </button>
      {pin.isError && <ErrorNotice error={pin.error} />}
    </>
  );
}
