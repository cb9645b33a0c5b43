import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { runsQuery } from '../../runs/api/runs';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText } from '../../../ui/user-text';
import { RunRows } from '../../runs/parts/run-rows';
import { runName } from '../../runs/parts/run-link';
import { Skeleton } from '../../../ui/skeleton';

const PAGE = 20;

interface Props {
  /** The baseline: runs of its suite are listed first. */
  like: Run | undefined;
  chosen: readonly string[];
  add: (id: string) => void;
  /** Undefined while a run has to be chosen. */
  close: (() => void) | undefined;
}

/** Runs to choose from, newest first: those of the baseline's suite, unless all are requested. */
export function AddRun({ like, chosen, add, close }: Props) {
  const [isAll, setAll] = useState(false);
  const [cursors, setCursors] = useState<string[]>([]);
  const suite = isAll ? undefined : like?.suite.id;
  const { data, error, isPending, refetch } = useQuery(runsQuery({ suite, cursor: cursors.at(-1), limit: PAGE }));
  const runs = (data?.items ?? []).filter(({ id }) => !chosen.includes(id));
  return (
    <div className="section">
      <div className="head">
        <h3>{chosen.length === 0 ? 'Choose the baseline' : 'Choose a run to compare'}</h3>
        {like && (
          <label className="check">
            <input
              type="checkbox"
              checked={isAll}
              onChange={({ target }) => {
                setAll(target.checked);
                setCursors([]);
              }}
            />
            Runs of all suites
          </label>
        )}
        {close && (
          <button type="button" onClick={close}>
            Close list
          </button>
        )}
      </div>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {isPending && <Skeleton rows={6} />}
      {runs.length > 0 && <RunRows runs={runs} more={(run) => <AddButton run={run} add={add} />} />}
      {data && runs.length === 0 && data.next_cursor === null && (
        <NoRun like={suite === undefined ? undefined : like} />
      )}
      {data && (cursors.length > 0 || data.next_cursor !== null) && (
        <div className="actions">
          {cursors.length > 0 && (
            <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
              Newer
            </button>
          )}
          {data.next_cursor !== null && (
            <button type="button" onClick={() => setCursors([...cursors, data.next_cursor!])}>
              Older
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const AddButton = ({ run, add }: { run: Run; add: (id: string) => void }) => (
  <button
    type="button"
    className="dense"
    aria-label={`Compare ${runName(run).slice(0, 100)}`}
    onClick={() => add(run.id)}
  >
    Compare
  </button>
);

const NoRun = ({ like }: { like: Run | undefined }) => (
  <Empty>
    {like ? (
      <>
        No other run of <UserText text={like.suite.name} max={100} /> yet.
      </>
    ) : (
      'A comparison needs two runs.'
    )}
  </Empty>
);
