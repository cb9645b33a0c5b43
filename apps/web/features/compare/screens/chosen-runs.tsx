import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { MAX_COMPARED_RUNS } from '#lib/contracts/values/comparison';
import { withComparison, sideOf, type CompareSearch } from '../address';
import { runQuery } from '../../runs/api/runs';
import { SideMark } from '../parts/comparison-mark';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText } from '../../../ui/user-text';
import { runName, shortRunName } from '../../runs/parts/run-link';
import { count, Score } from '../../../ui/score';
import { Status } from '../../../ui/status';
import { Time } from '../../../ui/time';
import { topModel } from '../../runs/parts/top-model';
import { AddRun } from './add-run';
import { ChoosePair } from './choose-pair';

/** The compared runs, the baseline first, with controls to change them. */
export function ChosenRuns({ search }: { search: CompareSearch }) {
  const navigate = useNavigate();
  const { runs = [] } = search;
  const read = useQueries({ queries: runs.map((id) => runQuery(id)) });
  const [isAdding, setAdding] = useState(false);
  const choose = (chosen: string[]): void =>
    void navigate({
      to: '/compare',
      search: withComparison(search, { runs: chosen, pair: undefined, other: undefined }),
    });
  const known = read.flatMap(({ data }) => (data ? [data] : []));
  return (
    <section className="section" aria-labelledby="chosen">
      <h2 id="chosen" className="unseen">
        Compared runs
      </h2>
      {runs.length > 0 && (
        <ol className="chosen-runs">
          {runs.map((id, index) => (
            <ChosenRunRow key={id} runs={runs} index={index} read={read[index]} choose={choose} />
          ))}
        </ol>
      )}
      {runs.length >= 2 && runs.length < MAX_COMPARED_RUNS && !isAdding && (
        <div className="actions">
          <button type="button" onClick={() => setAdding(true)}>
            Add a run
          </button>
        </div>
      )}
      {runs.length <= 2 && <ChoosePair runs={known} search={search} />}
      {(runs.length < 2 || isAdding) && runs.length < MAX_COMPARED_RUNS && (
        <AddRun
          like={read[0]?.data}
          chosen={runs}
          add={(id) => choose([...runs, id])}
          close={runs.length >= 2 ? () => setAdding(false) : undefined}
        />
      )}
    </section>
  );
}

interface RowProps {
  runs: readonly string[];
  index: number;
  read: { data: Run | undefined; error: Error | null } | undefined;
  choose: (runs: string[]) => void;
}

function ChosenRunRow({ runs, index, read, choose }: RowProps) {
  const id = runs[index]!;
  const others = runs.filter((one) => one !== id);
  return (
    <li>
      <SideMark side={sideOf(index)} />
      <div className="chosen-run">
        <ChosenRun id={id} run={read?.data} error={read?.error ?? null} />
      </div>
      <span className="actions">
        {index === 0 ? (
          <span className="muted small">the baseline</span>
        ) : (
          <button type="button" className="dense" onClick={() => choose([id, ...others])}>
            {runs.length === 2 ? 'Swap' : `Make ${sideOf(index)} the baseline`}
          </button>
        )}
        <button type="button" className="dense" aria-label={`Remove ${sideOf(index)}`} onClick={() => choose(others)}>
          Remove
        </button>
      </span>
    </li>
  );
}

function ChosenRun({ id, run, error }: { id: string; run: Run | undefined; error: Error | null }) {
  if (!run) return error ? <ErrorNotice error={error} /> : <span className="muted">{shortRunName(id)}</span>;
  const top = topModel(run);
  return (
    <>
      <Link to="/runs/$runId" params={{ runId: id }}>
        <UserText text={runName(run)} max={200} />
      </Link>
      <div className="facts small">
        <Status status={run.status} />
        <span>
          <UserText text={run.suite.name} max={100} />, version {run.suite.version}
        </span>
        <Time at={run.created_at} />
        {top && (
          <span>
            <UserText text={top.target} max={100} />{' '}
            <Score mean={top.overall} ci={top.overall_ci} scored={top.scored} errored={top.errored} />
          </span>
        )}
        {run.targets.length > 1 && <span>{count(run.targets.length)} models</span>}
      </div>
    </>
  );
}
