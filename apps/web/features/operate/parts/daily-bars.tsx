import { Numbers } from '../../../ui/figures/numbers';
import { money } from '../../../ui/amounts';
import { visible } from '../../../ui/user-text';
import css from './operate.module.css';

interface Props {
  label: string;
  /** The parts of a bar, from the bottom. */
  series: readonly string[];
  /** US dollars by series on each day. */
  days: readonly { day: string; costs: readonly number[] }[];
}

const MAX_NAME = 60;
const HEAD = ['Day', 'Cost'];
const SERIES = [
  ...[css.series0, css.series1, css.series2, css.series3, css.series4],
  ...[css.series5, css.series6, css.series7, css.series8],
];
const sum = (costs: readonly number[]): number => costs.reduce((all, cost) => all + cost, 0);

const shortened = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);
/** Adds numbers to repeated column names. */
const numbered = (names: readonly string[]): string[] =>
  names.map((name, place) => (names.indexOf(name) < place || HEAD.includes(name) ? `${name} (${place + 1})` : name));

/** A text description of the figure. */
export function dailyBarsText(days: Props['days']): string {
  const most = days.reduce((top, one) => (sum(one.costs) > sum(top.costs) ? one : top), { day: '', costs: [0] });
  if (most.day === '') return 'No request has a price.';
  const spending = days.filter(({ costs }) => sum(costs) > 0).length;
  const on =
    spending === 1 ? `All on ${most.day}.` : `On ${spending} days; most on ${most.day}: ${money(sum(most.costs))}.`;
  return `${money(days.reduce((all, { costs }) => all + sum(costs), 0))} in total, by UTC day. ${on}`;
}

/** A stacked bar for each day. The table below has the same numbers. */
export function DailyBars({ label, series, days }: Props) {
  const most = Math.max(...days.map(({ costs }) => sum(costs)), 0);
  const names = numbered(series.map((name) => visible(shortened(name))));
  return (
    <figure className={css.dailyBars} aria-label={label}>
      <figcaption>{dailyBarsText(days)}</figcaption>
      {most > 0 && (
        <div className="wide" tabIndex={0} role="region" aria-label={`${label}, drawn`}>
          <div
            className={css.days}
            style={{ gridTemplateColumns: `repeat(${days.length}, minmax(8px, 40px))` }}
            aria-hidden="true"
          >
            {days.map(({ day, costs }) => (
              <div key={day} className={css.day} title={`${day}: ${money(sum(costs))}`}>
                {costs.map(
                  (cost, place) =>
                    cost > 0 && (
                      <span
                        key={names[place]}
                        className={`${css.part} ${SERIES[place]}`}
                        style={{ height: `${(cost / most) * 100}%` }}
                        title={`${day}, ${names[place]}: ${money(cost)}`}
                      />
                    ),
                )}
              </div>
            ))}
          </div>
          <div className={`${css.ends} muted small`} style={{ maxWidth: days.length * 42 - 2 }} aria-hidden="true">
            <span>{days[0]?.day}</span>
            <span>{days.at(-1)?.day}</span>
          </div>
        </div>
      )}
      <Numbers
        label={`${label}, in numbers`}
        head={[...HEAD, ...names]}
        rows={days.map(({ day, costs }) => ({
          key: day,
          cells: [day, money(sum(costs)), ...costs.map((cost) => money(cost))],
        }))}
      />
    </figure>
  );
}

/** Marks the parts of the bars next to their names. */
export const SeriesMark = ({ place }: { place: number }) => (
  <span className={`${css.seriesMark} ${SERIES[place]}`} aria-hidden="true" />
);
