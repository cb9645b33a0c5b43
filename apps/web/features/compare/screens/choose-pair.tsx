import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { withComparison, type CompareSearch } from '../address';
import { UserText, visible } from '../../../ui/user-text';

const modelsOf = ({ targets }: Run): string[] => targets.map(({ target }) => target);

/** Compares two models regardless of their names: of one run, or one of each run. */
export function ChoosePair({ runs, search }: { runs: readonly Run[]; search: CompareSearch }) {
  const [a, b = a] = runs;
  if (!a || !b || runs.length !== search.runs?.length) return null;
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

function ModelSelect({ label, models, chosen, choose }: ModelSelectProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="bounded" value={chosen} onChange={({ target }) => choose(target.value)}>
        {models.map((name) => (
          <option key={name} value={name}>
            {visible(name.slice(0, 200))}
          </option>
        ))}
      </select>
    </div>
  );
}
