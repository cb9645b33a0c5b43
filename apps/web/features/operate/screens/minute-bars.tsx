import { count } from '../../../ui/amounts';
import css from '../parts/operate.module.css';

/** Results of each minute as bars, and how many they are together. */
export function MinuteBars({ results }: { results: readonly number[] }) {
  const all = results.reduce((sum, n) => sum + n, 0);
  const most = Math.max(...results, 1);
  if (all === 0) return <span className="muted">no results</span>;
  return (
    <div>
      {count(all)} {all === 1 ? 'result' : 'results'}
      <div className={css.minutes} aria-hidden="true">
        {results.map((n, place) => (
          <span key={place} style={{ height: `${(n / most) * 100}%` }} title={`${count(n)} in a minute`} />
        ))}
      </div>
    </div>
  );
}
