import { Link, useSearch } from '@tanstack/react-router';
import { cacheHitRate } from '#lib/contracts/token-counts';
import { Empty } from '../../../ui/empty';
import { useKeptQuery } from '../../../ui/list';
import { count, money, percent } from '../../../ui/amounts';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Table } from '../../../ui/table';
import { Tabs } from '../../../ui/tabs';
import { UserLine } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { SPENDING_BY, SPENDING_SPANS, type SpendingSearch } from '../address';
import { spendingReportQuery } from '../api';
import { DailyBars, SeriesMark } from '../parts/daily-bars';
import css from '../parts/operate.module.css';
import { groupsOf, stacked, withOthers, type Spent, type StackedBy } from './spending-groups';

/** Maximum number of table rows; the others are combined. */
const MAX_ROWS = 100;

/** Spending on each day of a range, by a chosen grouping. The address has both choices. */
export function DailySpending() {
  const search = useSearch({ from: '/signed-in/operate/spending' });
  const tab = (change: Partial<SpendingSearch>, label: string) =>
    ({ to: '/operate/spending', search: { ...search, ...change }, label, bySearch: true }) as const;
  const tabsOf = <Key extends keyof SpendingSearch>(key: Key, none: string, others: Record<string, string>) => [
    tab({ [key]: undefined }, none),
    ...Object.entries(others).map(([value, label]) => tab({ [key]: value }, label)),
  ];
  return (
    <section aria-label="Spending by day" className="section">
      <Tabs label="Span" items={tabsOf('span', 'This month', SPENDING_SPANS)} />
      <Tabs label="Stacked by" items={tabsOf('by', 'By model', SPENDING_BY)} />
      <QueryBoundary rows={6}>
        <Report search={search} />
      </QueryBoundary>
    </section>
  );
}

const NoSpending = () => (
  <Empty
    action={
      <Link to="/runs/new" className="button">
        New run
      </Link>
    }
  >
    No requests in this span. Start a run or choose another span.
  </Empty>
);

function Report({ search }: { search: SpendingSearch }) {
  const { data: report } = useKeptQuery(spendingReportQuery(search));
  if (report.items.length === 0) return <NoSpending />;
  const by = report.by.at(-1) as StackedBy; // While another report loads, the grouping of the last one applies.
  const { drawn, days } = stacked(report, by);
  const rows = withOthers(groupsOf(report, by), MAX_ROWS);
  return (
    <>
      <DailyBars label={`Cost by day and ${by}`} series={drawn.map(({ name }) => name)} days={days} />
      <Table
        label={`Spending by ${by}`}
        className="run-rows"
        hasCards
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          {
            name: by[0]!.toUpperCase() + by.slice(1),
            isHeading: true,
            className: 'named',
            cell: (row, place) => (
              <span className={css.seriesName}>
                <SeriesMark place={Math.min(place, drawn.length - 1)} />
                {by === 'model' ? <ModelName target={row.name} /> : <UserLine text={row.name} />}
                {row.note && <span className="muted small">{row.note}</span>}
              </span>
            ),
          },
          ...FIGURES.map(([name, cell]) => ({ name, isNumber: true, cell })),
        ]}
        foot={
          <tfoot>
            <tr>
              <th scope="row">Total</th>
              {FIGURES.map(([name, text]) => (
                <td key={name} className="number">
                  {text(report.total)}
                </td>
              ))}
            </tr>
          </tfoot>
        }
      />
    </>
  );
}

const share = (rate: number | null): string => (rate === null ? '-' : percent(rate));
const FIGURES: readonly (readonly [name: string, text: (spent: Spent) => string])[] = [
  // Models without prices add requests but no cost, which is unknown rather than $0.
  ['Cost', ({ cost_usd: cost, requests }) => (cost === 0 && requests > 0 ? '-' : money(cost))],
  ['Requests', (spent) => count(spent.requests)],
  ['Tokens in', (spent) => count(spent.prompt_tokens)],
  ['Tokens out', (spent) => count(spent.completion_tokens)],
  ['Cache hits', (spent) => share(cacheHitRate(spent))],
];
