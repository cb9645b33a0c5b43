import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { compared, type CompareSearch } from '../../address/compare';
import { Given, visible } from '../../parts/given';

const modelsOf = ({ targets }: Run): string[] => targets.map(({ target }) => target);

/** Compares two models regardless of their names: of one run, or one of each run. */
export function ChoosePair({ runs, search }: { runs: readonly Run[]; search: CompareSearch }) {
  const [a, b = a] = runs;
  if (!a || !b || runs.length !== search.runs?.length) return null;
  const [models, others] = [modelsOf(a), modelsOf(b)];
  const isNeeded = a === b ? models.length > 1 : models.length > 1 || others.length > 1;
  if (search.pair !== undefined) return <Chosen search={search} />;
  if (!isNeeded) return null;
  return <Choice key={`${a.id} ${b.id}`} models={models} others={others} isOne={a === b} search={search} />;
}

function Chosen({ search }: { search: CompareSearch }) {
  const [a = '', b = ''] = (search.pair ?? '').split('~');
  return (
    <p>
      Only <Given text={a} max={200} /> and <Given text={b} max={200} /> are compared.{' '}
      <Link to="/compare" search={compared(search, { pair: undefined })}>
        {search.runs?.length === 1 ? 'Choose other models' : 'Compare models with the same name'}
      </Link>
    </p>
  );
}

interface ChoiceProps {
  models: string[];
  others: string[];
  isOne: boolean;
  search: CompareSearch;
}

function Choice({ models, others, isOne, search }: ChoiceProps) {
  const [a, setA] = useState(models[0]!);
  const [b, setB] = useState(others.find((name) => name !== models[0]) ?? others[0]!);
  const isSame = isOne && a === b;
  return (
    <details open={isOne}>
      <summary>{isOne ? 'Compare two models of this run' : 'Compare models with different names'}</summary>
      <div className="actions">
        <Models label="Baseline model" models={models} chosen={a} choose={setA} />
        <Models label="Model to compare" models={others} chosen={b} choose={setB} />
        {isSame ? (
          <span className="muted small">Choose two different models.</span>
        ) : (
          <Link className="button" to="/compare" search={compared(search, { pair: `${a}~${b}` })}>
            Compare models
          </Link>
        )}
      </div>
    </details>
  );
}

interface ModelsProps {
  label: string;
  models: string[];
  chosen: string;
  choose: (name: string) => void;
}

function Models({ label, models, chosen, choose }: ModelsProps) {
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
