import css from './facet.module.css';

interface Bin {
  /** The range, as in the address. */
  value: string;
  label: string;
  count?: number;
}

interface FacetBinsProps {
  legend: string;
  /** What is counted. */
  note?: string;
  bins: readonly Bin[];
  chosen: string | undefined;
  choose: (value: string | undefined) => void;
}

/** A histogram to filter by: each bin is a button, and the chosen one can be deselected. */
export function FacetBins({ legend, note, bins, chosen, choose }: FacetBinsProps) {
  if (bins.length === 0) return null;
  const most = Math.max(1, ...bins.map(({ count = 0 }) => count));
  return (
    <fieldset className={css.facet}>
      <legend>{legend}</legend>
      {note !== undefined && <p className="muted small">{note}</p>}
      {bins.map(({ value, label, count = 0 }) => (
        <button
          type="button"
          key={value}
          className={`plain ${css.facetBin}`}
          aria-pressed={value === chosen}
          disabled={count === 0 && value !== chosen}
          onClick={() => choose(value === chosen ? undefined : value)}
        >
          <span className="small">{label}</span>
          <span className={css.facetBar} aria-hidden="true">
            <span style={{ width: `${(count / most) * 100}%` }} />
          </span>
          <span className="small">{count.toLocaleString('en')}</span>
        </button>
      ))}
    </fieldset>
  );
}
