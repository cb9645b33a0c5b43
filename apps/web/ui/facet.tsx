import { useId, useState } from 'react';
import { UserLine } from './user-text';
import css from './facet.module.css';

interface Option {
  value: string;
  label: string;
  /** Undefined if unknown. */
  count?: number;
}

/** From this number of values, they can be searched. */
const MANY = 12;
const MAX_SHOWN = 100;

interface FacetProps {
  legend: string;
  /** What is counted, and what is not listed. */
  note?: string;
  options: readonly Option[];
  chosen: readonly string[];
  toggle: (value: string) => void;
}

/** Values to filter by, with the count of each. */
export function Facet({ legend, note, options, chosen, toggle }: FacetProps) {
  const [filter, setFilter] = useState('');
  const id = useId();
  const unknown = chosen.filter((value) => !options.some((option) => option.value === value));
  const all = [...unknown.map((value): Option => ({ value, label: value })), ...options];
  if (all.length === 0) return null;
  const matching = all.filter(({ label }) => label.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <fieldset className={css.facet}>
      <legend>{legend}</legend>
      {note !== undefined && <p className="muted small">{note}</p>}
      {all.length > MANY && (
        <input
          type="search"
          aria-label={`Filter: ${legend}`}
          placeholder="Filter"
          data-filter
          value={filter}
          maxLength={200}
          onChange={({ target }) => setFilter(target.value)}
        />
      )}
      <div className={css.facetOptions}>
        {matching.slice(0, MAX_SHOWN).map(({ value, label, count }) => (
          <label key={value} htmlFor={`${id}-${value}`} className={css.facetOption}>
            <input
              id={`${id}-${value}`}
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => toggle(value)}
            />
            <UserLine text={label} />
            {count !== undefined && <span className="muted small">{count.toLocaleString('en')}</span>}
          </label>
        ))}
      </div>
      {matching.length > MAX_SHOWN && (
        <p className="muted small">{matching.length - MAX_SHOWN} more; filter to see them.</p>
      )}
    </fieldset>
  );
}
