import type { Experiment } from '#lib/contracts/experiment';
import { useAction } from '../../../api/action';
import { undo } from '../../../ui/undo';
import { pinBaseline, refreshExperiments } from '../api';

/** Makes a run the baseline: all others are compared again. The baseline before can be pinned back. */
export function usePin({ id, baseline_eval_id: before }: Pick<Experiment, 'id' | 'baseline_eval_id'>) {
  const pinBack = useAction(pinBaseline, refreshExperiments);
  return useAction(
    ({ evalId }: { evalId: string; name: string }, options) => pinBaseline({ id, evalId }, options),
    async (_, { name }) => {
      if (before !== null)
        undo.offer({ text: `Pinned ${name}.`, undo: () => pinBack.mutateAsync({ id, evalId: before }) });
      await refreshExperiments();
    },
  );
}
