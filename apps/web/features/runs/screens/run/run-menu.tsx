import { useQuery } from '@tanstack/react-query';
import type { Run } from '#lib/contracts/run';
import { useRefusal } from '../../../../api/session';
import { MenuItem, MenuLink, MenuSeparator } from '../../../../ui/menu';
import { isUnderWay } from '../../../../ui/status';
import { experimentQuery } from '../../../experiments/api';
import { EXPORT_FORMATS, exportPath } from '../../api';

export type RunDialog = 'label' | 'samples' | 'rescore' | 'delete';

interface Props {
  run: Run;
  open: (dialog: RunDialog) => void;
  /** Makes the run the baseline of its experiment. */
  pin: () => void;
  save: (path: string, fileName: string) => void;
}

/** The rare actions on a run. */
export function RunMenu({ run, open, pin, save }: Props) {
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
        <PinBaseline run={run} experiment={run.experiment_id} pin={pin} refusal={refusal ?? waits} />
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
  pin: () => void;
  refusal: string | undefined;
}

function PinBaseline({ run, experiment, pin, refusal }: PinProps) {
  const { data, isError } = useQuery({ ...experimentQuery(experiment), retry: false });
  const unknown = isError ? 'Its experiment cannot be read.' : 'Its experiment is being read.';
  const pinned = data?.baseline_eval_id === run.id ? 'It is the baseline.' : undefined;
  return (
    <MenuItem refusal={refusal ?? (data ? pinned : unknown)} onSelect={pin}>
      Pin as baseline
    </MenuItem>
  );
}
