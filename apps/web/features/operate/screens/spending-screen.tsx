import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Spending } from '#lib/contracts/settings';
import { spendingQuery } from '../../settings/api/settings';
import { Bar } from '../../../ui/bar';
import { ErrorNotice } from '../../../ui/error-notice';
import { money } from '../../../ui/money';
import { percent } from '../../../ui/score';
import { Skeleton } from '../../../ui/skeleton';
import './operate.css';
import { OperateNav } from './operate-nav';
import { SpendingForm } from './spending-form';
import { DailySpending } from './daily-spending';

/** The team's spending this month, against its limit, and by category. */
export function SpendingScreen() {
  const { data, error, isPending, refetch } = useQuery(spendingQuery);
  return (
    <>
      <h1>Spending</h1>
      <OperateNav />
      {isPending && <Skeleton rows={4} />}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data && (
        <>
          <Spent spending={data} />
          <p className="muted">
            Cost as reported by <Link to="/operate/providers">providers</Link>, else computed from the prices of their
            models, including embeddings. Models without prices add no cost. Each <Link to="/runs">run</Link> shows its
            cost by model.
          </p>
          <SpendingForm spending={data} />
        </>
      )}
      <DailySpending />
    </>
  );
}

function Spent({ spending: { spent_usd: spent, monthly_cap_usd: cap, month } }: { spending: Spending }) {
  const share = cap === null ? undefined : cap === 0 ? 1 : spent / cap;
  return (
    <section aria-labelledby="this-month" className="section cap-bar">
      <h2 id="this-month">In {month} (UTC)</h2>
      <p className="sentence">
        {money(spent)} {cap === null ? 'spent. No cap.' : `of ${money(cap)} spent.`}
        {share !== undefined && share < 1 && ` ${percent(share)} of the cap.`}
      </p>
      {share !== undefined && <Bar done={Math.min(share, 1)} total={1} label="Share of the cap spent" />}
      {share !== undefined && share >= 1 && (
        <p className="notice">
          The cap is reached: runs that cost money stop as &ldquo;budget spent&rdquo;, and new ones are refused, until
          the month ends or the cap is raised.
        </p>
      )}
    </section>
  );
}
