import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { MAX_COMPARED_RUNS } from '#lib/contracts/values/comparison';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/notices';
import { useKeptQuery } from '../../../ui/list';
import { QueryBoundary } from '../../../ui/query-boundary';
import { count } from '../../../ui/amounts';
import { Status } from '../../../ui/status';
import { Time } from '../../../ui/time';
import { UserText, visible } from '../../../ui/user-text';
import { runQuery } from '../../runs/api';
import { runName, shortRunName } from '../../runs/parts/run-link';
import { RunRows } from '../../runs/parts/run-rows';
import { comparisonQueryOf, sideOf, withComparison, type CompareSearch } from '../address';
import { runsToCompareQuery } from '../api';
import css from '../parts/compare.module.css';
import { SideMark } from '../parts/comparison-mark';
import { ComparedSettings } from './compared-settings';

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
        <ol className={css.rows}>
          {runs.map((id, index) => (
            <ChosenRunRow key={id} runs={runs} index={index} read={read[index]} choose={choose} />
          ))}
        </ol>
      )}
      {comparisonQueryOf(search) && (
        <ComparedSettings search={search}>
          {runs.length >= 2 && runs.length < MAX_COMPARED_RUNS && !isAdding && (
            <button type="button" className="dense" onClick={() => setAdding(true)}>
              Add a run
            </button>
          )}
        </ComparedSettings>
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
      <div>
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
  return (
    <div className="facts">
      <Link to="/runs/$runId" params={{ runId: id }}>
        <UserText text={runName(run)} max={200} />
      </Link>
      {run.status !== 'completed' && <Status status={run.status} />}
      <span className="muted small">
        <UserText text={run.suite.name} max={100} />, version {run.suite.version}
        {run.targets.length > 1 && `, ${count(run.targets.length)} models`}, <Time at={run.created_at} />
      </span>
    </div>
  );
}

const modelsOf = ({ targets }: Run): string[] => targets.map(({ target }) => target);

/** Compares two models regardless of their names: of one run, or one of each run. */
function ChoosePair({ runs, search }: { runs: readonly Run[]; search: CompareSearch }) {
  const [a, b = a] = runs;
  // As high as what may come when the runs are read.
  if (!a || !b || runs.length !== search.runs?.length) return <div className={css.pairSpace} />;
  const [models, others] = [modelsOf(a), modelsOf(b)];
  const isNeeded = a === b ? models.length > 1 : models.length > 1 || others.length > 1;
  if (search.pair !== undefined) return <ChosenPair search={search} />;
  if (!isNeeded) return null;
  return <PairForm key={`${a.id} ${b.id}`} models={models} others={others} isOne={a === b} search={search} />;
}

function ChosenPair({ search }: { search: CompareSearch }) {
  const [a = '', b = ''] = (search.pair ?? '').split('~');
  return (
    <p>
      Only <UserText text={a} max={200} /> and <UserText text={b} max={200} /> are compared.{' '}
      <Link to="/compare" search={withComparison(search, { pair: undefined })}>
        {search.runs?.length === 1 ? 'Choose other models' : 'Compare models with the same name'}
      </Link>
    </p>
  );
}

interface PairFormProps {
  models: string[];
  others: string[];
  isOne: boolean;
  search: CompareSearch;
}

function PairForm({ models, others, isOne, search }: PairFormProps) {
  const [a, setA] = useState(models[0]!);
  const [b, setB] = useState(others.find((name) => name !== models[0]) ?? others[0]!);
  const isSame = isOne && a === b;
  return (
    <details open={isOne}>
      <summary>{isOne ? 'Compare two models of this run' : 'Compare models with different names'}</summary>
      <div className="actions">
        <ModelSelect label="Baseline model" models={models} chosen={a} choose={setA} />
        <ModelSelect label="Model to compare" models={others} chosen={b} choose={setB} />
        {isSame ? (
          <span className="muted small">Choose two different models.</span>
        ) : (
          <Link className="button" to="/compare" search={withComparison(search, { pair: `${a}~${b}` })}>
            Compare models
          </Link>
        )}
      </div>
    </details>
  );
}

interface ModelSelectProps {
  label: string;
  models: string[];
  chosen: string;
  choose: (name: string) => void;
}

const ModelSelect = ({ label, models, chosen, choose }: ModelSelectProps) => (
  <label className="field">
    <span className="label">{label}</span>
    <select className="bounded" value={chosen} onChange={({ target }) => choose(target.value)}>
      {models.map((name) => (
        <option key={name} value={name}>
          {visible(name.slice(0, 200))}
        </option>
      ))}
    </select>
  </label>
);

interface AddRunProps {
  /** The baseline: runs of its suite are listed first. */
  like: Run | undefined;
  chosen: readonly string[];
  add: (id: string) => void;
  /** Undefined while a run has to be chosen. */
  close: (() => void) | undefined;
}

/** Runs to choose from, newest first: those of the baseline's suite, unless all are requested. */
function AddRun({ like, chosen, add, close }: AddRunProps) {
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

interface RunsProps extends Omit<AddRunProps, 'close'> {
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
