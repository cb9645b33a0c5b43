import { useQuery } from '@tanstack/react-query';
import type { Run } from '#lib/contracts/run';
import { newIdempotencyKey, useAction } from '../../../../api/action';
import { refreshWork } from '../../../../api/query-client';
import { useRefusal } from '../../../../api/session';
import { MenuItem, MenuLink, MenuSeparator } from '../../../../ui/menu';
import { isUnderWay } from '../../../../ui/status';
import { useUndo } from '../../../../ui/undo';
import { experimentQuery, pinBaseline } from '../../../experiments/api';
import { EXPORT_FORMATS, exportPath } from '../../api';

export type RunDialog = 'label' | 'samples' | 'rescore' | 'delete';

interface Props {
  run: Run;
  open: (dialog: RunDialog) => void;
  save: (path: string, fileName: string) => void;
}

/** The rare actions on a run. */
export function RunMenu({ run, open, save }: Props) {
  const refusal = useRefusal('editor');
  const { settled, errored } = run.counts;
  const goes = isUnderWay(run.status);
  const unscored = settled > errored ? undefined : 'No result has a score.';
  const waits = goes ? 'The run has not ended.' : unscored;
  return (
    <>
      <MenuItem refusal={refusal} onSelect={() => open('label')}>
        Name and note
      </MenuItem>
      {run.experiment_id !== null && (
        <PinBaseline run={run} experiment={run.experiment_id} refusal={refusal ?? waits} />
      )}
      <MenuItem refusal={refusal ?? waits} onSelect={() => open('samples')}>
        Add samples
      </MenuItem>
      <MenuItem refusal={refusal ?? waits} onSelect={() => open('rescore')}>
        Rescore
      </MenuItem>
      {waits === undefined && (
        <>
          <MenuLink to="/judge/new" search={{ eval: run.id }}>
            Judge
          </MenuLink>
          <MenuLink to="/judge/labels" search={{ eval: run.id }}>
            Label results
          </MenuLink>
        </>
      )}
      <MenuItem onSelect={() => void navigator.clipboard?.writeText(run.id)}>Copy id</MenuItem>
      <MenuSeparator />
      {EXPORT_FORMATS.map(([format, name, extension]) => (
        <MenuItem key={format} onSelect={() => save(exportPath(run.id, format), `toolmark-${run.id}.${extension}`)}>
          Export as {name}
        </MenuItem>
      ))}
      <MenuSeparator />
      <MenuItem danger refusal={refusal ?? (goes ? 'Cancel it first.' : undefined)} onSelect={() => open('delete')}>
        Delete
      </MenuItem>
    </>
  );
}

interface PinProps {
  run: Run;
  experiment: string;
  refusal: string | undefined;
}

/** Makes the run the baseline of its experiment. */
function PinBaseline({ run, experiment, refusal }: PinProps) {
  const { data } = useQuery({ ...experimentQuery(experiment), retry: false });
  const { offer } = useUndo();
  const before = data?.baseline_eval_id ?? undefined;
  const pin = useAction(pinBaseline, () => refreshWork(run.id));
  const isPinned = before === run.id;
  return (
    <MenuItem
      refusal={refusal ?? (isPinned ? 'It is the baseline.' : undefined)}
      onSelect={() =>
        void pin.mutateAsync({ id: experiment, evalId: run.id }).then(() => {
          if (before === undefined) return;
          offer({
            text: `Pinned ${(run.name ?? run.suite.name).slice(0, 60)}.`,
            undo: async () => {
              await pinBaseline({ id: experiment, evalId: before }, { idempotencyKey: newIdempotencyKey() });
              await refreshWork(run.id);
            },
          });
        })
      }
    >
      Pin as baseline
    </MenuItem>
  );
}
