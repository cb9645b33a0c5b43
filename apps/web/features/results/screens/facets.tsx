import { useId, useState, type ComponentProps, type FormEvent, type ReactNode } from 'react';
import type { Run } from '#lib/contracts/run';
import type { RunFacets } from '#lib/contracts/run-facets';
import { Facet } from '../../../ui/facet';
import { FacetBins } from '../../../ui/facet-bins';
import { isUnderWay } from '../../../ui/status';
import { useModelLabel } from '../../providers/parts/model-name';
import { facetsQuery } from '../../runs/api';
import { Counted } from '../../runs/parts/counted';
import { boundsOf, withChange, withToggled, type ListKey, type ResultsSearch } from '../address';
import { ORDER_WORDS } from '../filter-words';
import { binsOf, countsSoFar, modelsOf, valuesOf, type CountedFacet } from './facet-counts';
import css from './results.module.css';

interface FacetsProps {
  run: Run;
  search: ResultsSearch;
  go: (search: ResultsSearch) => void;
}

/** The filters of the list. Every choice is in the address. */
export function Facets({ run, search, go }: FacetsProps) {
  return (
    <>
      <Verdicts search={search} go={go} />
      {isUnderWay(run.status) ? (
        <PartialFacets run={run} search={search} go={go} />
      ) : (
        <Counted run={run} query={facetsQuery(run.id, search.rescore)} rows={16}>
          {(facets) => <CountedFacets facets={facets} search={search} go={go} />}
        </Counted>
      )}
      {isUnderWay(run.status) && <LessFrequent search={search} go={go} />}
    </>
  );
}

/** Filters that few need: they are folded until one of them is chosen. */
function LessFrequent({ search, go, children }: Chosen & { children?: ReactNode }) {
  const isChosen = [...RARE, 'latency', 'score', 'noted'].some(
    (key) => search[key as keyof ResultsSearch] !== undefined,
  );
  return (
    <details className="fold" open={isChosen || undefined}>
      <summary>More filters</summary>
      <div className={css.facets}>
        {children}
        <Choice
          label="Note"
          value={String(search.noted ?? '')}
          options={NOTED}
          choose={(value) => go(withChange(search, { noted: value ? value === 'true' : undefined }))}
        />
        <Latency key={search.latency} search={search} go={go} />
        <ByName search={search} go={go} />
      </div>
    </details>
  );
}

type Chosen = Omit<FacetsProps, 'run'>;

function Verdicts({ search, go }: Chosen) {
  return (
    <>
      <Choice
        label="Verdict"
        value={String(search.passed ?? '')}
        options={VERDICTS}
        choose={(value) => go(withChange(search, { passed: value ? value === 'true' : undefined }))}
      />
      <Choice
        label="Order"
        value={search.order ?? 'failures'}
        options={Object.entries(ORDER_WORDS)}
        choose={(order) => go(withChange(search, { order }))}
      />
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, words: string])[];
  choose: (value: string) => void;
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} data-filter value={value} onChange={({ target }) => choose(target.value)}>
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The scope of a facet's counts when other filters are chosen, and what is not listed. */
function noteOf({ isFiltered, others }: CountedFacet, search: ResultsSearch, key: string): string | undefined {
  const hasOthers = Object.keys(search).some((other) => ![key, 'order', 'rescore'].includes(other));
  const notes = [
    ...(hasOthers ? [isFiltered ? 'Within the other filters.' : 'For the whole run.'] : []),
    ...(others > 0 ? [`${others.toLocaleString('en')} more are not listed; add them by name.`] : []),
  ];
  return notes.length > 0 ? notes.join(' ') : undefined;
}

/** The facets of an ended run, with their counts. */
function CountedFacets({ facets, search, go }: Chosen & { facets: RunFacets }) {
  const labelOf = useModelLabel();
  const values = (key: ListKey) => {
    const facet = key === 'model' ? modelsOf(facets, search, labelOf) : valuesOf(facets, search, key);
    return <Values key={key} of={key} options={facet.options} note={noteOf(facet, search, key)} {...{ search, go }} />;
  };
  return (
    <>
      {FREQUENT.map(values)}
      <LessFrequent search={search} go={go}>
        {RARE.map(values)}
        {(['latency', 'score'] as const).map((key) => {
          const facet = binsOf(facets, search, key);
          return (
            <FacetBins
              key={key}
              legend={BIN_LEGENDS[key]}
              note={noteOf(facet, search, key)}
              bins={facet.options}
              chosen={search[key]}
              choose={(range) => go(withChange(search, { [key]: range }))}
            />
          );
        })}
      </LessFrequent>
    </>
  );
}

function PartialFacets({ run, search, go }: FacetsProps) {
  const counts = countsSoFar(run);
  return (
    <>
      <p className="muted small">Finished models only.</p>
      {(['type', 'model', 'category', 'format', 'syntax'] as const).map((key) => (
        <Values key={key} of={key} options={counts[key]} search={search} go={go} />
      ))}
    </>
  );
}

interface ValuesProps extends Chosen, Pick<ComponentProps<typeof Facet>, 'note' | 'options'> {
  of: ListKey;
}

const Values = ({ of, search, go, ...facet }: ValuesProps) => (
  <Facet
    legend={LEGENDS[of]}
    chosen={search[of] ?? []}
    toggle={(value) => go(withToggled(search, of, value))}
    {...facet}
  />
);

function Latency({ search, go }: Chosen) {
  const [min, max] = boundsOf(search.latency);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    go(withChange(search, { latency: `${String(given.get('min'))}-${String(given.get('max'))}` }));
  };
  const bound = (name: string, label: string, value: string | undefined) => (
    <input name={name} type="number" min={0} max={999_999_999} step={1} aria-label={label} defaultValue={value} />
  );
  return (
    <form onSubmit={submit} className="field">
      <span className="label">Latency in ms</span>
      <span className={css.range}>
        {bound('min', 'Latency from, in ms', min)} to {bound('max', 'Latency to, in ms', max)}
        <button type="submit">Set</button>
      </span>
    </form>
  );
}

/** Filters unlisted values by name. */
function ByName({ search, go }: Chosen) {
  const [key, setKey] = useState<keyof typeof NAMED>('tool');
  const [name, setName] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const value = name.trim();
    if (value === '' || search[key]?.includes(value)) return;
    setName('');
    go(withToggled(search, key, value));
  };
  return (
    <form onSubmit={submit} className="field">
      <span className="label">By name</span>
      <select
        aria-label="Kind of name"
        value={key}
        onChange={({ target }) => setKey(target.value as keyof typeof NAMED)}
      >
        {Object.entries(NAMED).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <span className={css.range}>
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

const VERDICTS = [
  ['', 'all'],
  ['false', 'failures only'],
  ['true', 'passed'],
] as const;

const NOTED = [
  ['', 'all'],
  ['true', 'with a note'],
  ['false', 'without a note'],
] as const;

const LEGENDS = {
  type: 'Error',
  model: 'Model',
  category: 'Category',
  tool: 'Expected tool',
  called: 'Called tool',
  format: 'Call format',
  syntax: 'Calls in the text',
  missed: 'What went wrong',
  tag: 'Tag',
} as const satisfies Record<ListKey, string>;
const FREQUENT: readonly ListKey[] = ['type', 'missed', 'model', 'category', 'tool'];
const RARE: readonly ListKey[] = ['called', 'format', 'syntax', 'tag'];
const BIN_LEGENDS = { latency: 'Latency', score: 'Score' } as const;

const NAMED = { tool: 'Expected tool', called: 'Called tool', tag: 'Tag' } as const;
