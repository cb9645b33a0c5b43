import { useState, type FormEvent } from 'react';
import type { Run } from '#lib/contracts/run';
import { changed, ORDER_WORDS, toggled, type ResultsSearch } from '../../address/results';
import { Facet } from '../../parts/facet';
import { facetCounts } from './facet-counts';

interface FacetsProps {
  run: Run;
  search: ResultsSearch;
  go: (search: ResultsSearch) => void;
}

/** What the list is filtered by. Every choice stands in the address. */
export function Facets({ run, search, go }: FacetsProps) {
  const { models, types, categories, formats } = facetCounts(run);
  const facet = (legend: string, key: 'model' | 'type' | 'category' | 'format', options: typeof models) => (
    <Facet
      legend={legend}
      options={options}
      chosen={search[key] ?? []}
      toggle={(value) => go(toggled(search, key, value))}
    />
  );
  return (
    <>
      <div className="field">
        <label htmlFor="passed">Verdict</label>
        <select
          id="passed"
          data-filter
          value={String(search.passed ?? '')}
          onChange={({ target: { value } }) => go(changed(search, { passed: value ? value === 'true' : undefined }))}
        >
          <option value="">all</option>
          <option value="false">failures only</option>
          <option value="true">passed</option>
        </select>
      </div>
      <div className="field">
        <label htmlFor="order">Order</label>
        <select
          id="order"
          value={search.order ?? 'failures'}
          onChange={({ target: { value } }) => go(changed(search, { order: value }))}
        >
          {Object.entries(ORDER_WORDS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </div>
      <p className="muted small">
        Counts are of the whole run{run.finished_at === null ? ', as far as its models are done' : ''}.
      </p>
      {facet('Error', 'type', types)}
      {facet('Model', 'model', models)}
      {facet('Category', 'category', categories)}
      {facet('Format of calls', 'format', formats)}
      <Latency key={search.latency} search={search} go={go} />
      <ByName search={search} go={go} />
    </>
  );
}

function Latency({ search, go }: Omit<FacetsProps, 'run'>) {
  const [min, max] = (search.latency ?? '-').split('-');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    go(changed(search, { latency: `${String(given.get('min'))}-${String(given.get('max'))}` }));
  };
  const bound = (name: string, label: string, value: string | undefined) => (
    <input name={name} type="number" min={0} max={999_999_999} step={1} aria-label={label} defaultValue={value} />
  );
  return (
    <form onSubmit={submit} className="field">
      <span className="label">Latency in ms</span>
      <span className="facet-range">
        {bound('min', 'Latency from, in ms', min)} to {bound('max', 'Latency to, in ms', max)}
        <button type="submit">Set</button>
      </span>
    </form>
  );
}

const NAMED = { tool: 'Expected tool', called: 'Called tool', tag: 'Tag' } as const;

/** What a run's summary does not count is filtered by its name. */
function ByName({ search, go }: Omit<FacetsProps, 'run'>) {
  const [key, setKey] = useState<keyof typeof NAMED>('tool');
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const value = name.trim();
    if (value === '' || search[key]?.includes(value)) return;
    setName('');
    go(toggled(search, key, value));
  };
  return (
    <form onSubmit={submit} className="field">
      <span className="label">By name</span>
      <select aria-label="Of what" value={key} onChange={({ target }) => setKey(target.value as keyof typeof NAMED)}>
        {Object.entries(NAMED).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <span className="facet-range">
        <input
          aria-label="Name"
          placeholder={key === 'tag' ? 'tag' : 'tool, or (none)'}
          maxLength={key === 'tag' ? 100 : 1000}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button type="submit">Add</button>
      </span>
    </form>
  );
}
