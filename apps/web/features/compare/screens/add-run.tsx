import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { Empty } from '../../../ui/empty';
import { useKeptQuery } from '../../../ui/list';
import { QueryBoundary } from '../../../ui/query-boundary';
import { UserText } from '../../../ui/user-text';
import { runName } from '../../runs/parts/run-link';
import { RunRows } from '../../runs/parts/run-rows';
import { runsToCompareQuery } from '../api';

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
      <QueryBoundary rows={6}>
        <Runs like={isAll ? undefined : like} {...{ chosen, add, cursors, setCursors }} />
      </QueryBoundary>
    </div>
  );
}

interface RunsProps extends Omit<Props, 'close'> {
  /** Where the pages up to this one begin; none on the first. */
  cursors: string[];
  setCursors: (cursors: string[]) => void;
}

function Runs({ like, chosen, add, cursors, setCursors }: RunsProps) {
  const { items, next_cursor: next } = useKeptQuery(runsToCompareQuery(like?.suite.id, cursors.at(-1))).data;
  const runs = items.filter(({ id }) => !chosen.includes(id));
  return (
    <>
      {runs.length > 0 && <RunRows runs={runs} more={(run) => <AddButton run={run} add={add} />} />}
      {runs.length === 0 && next === null && (
        <Empty>
          {like ? (
            <>
              No other run of <UserText text={like.suite.name} max={100} /> yet.
            </>
          ) : (
            'A comparison needs two runs.'
          )}
        </Empty>
      )}
      {(cursors.length > 0 || next !== null) && (
        <div className="actions">
          {cursors.length > 0 && (
            <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
              Newer
            </button>
          )}
          {next !== null && (
            <button type="button" onClick={() => setCursors([...cursors, next])}>
              Older
            </button>
          )}
        </div>
      )}
    </>
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
