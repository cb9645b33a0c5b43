import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Spending } from '#lib/contracts/settings';
import { keys } from '../../../api/keys';
import { Bar } from '../../../ui/status';
import { NumberField } from '../../../ui/form/fields';
import { SettingForm } from '../../../ui/form/setting-form';
import { money, percent } from '../../../ui/amounts';
import { QueryBoundary } from '../../../ui/query-boundary';
import { setSpending, spendingQuery } from '../../settings/api';
import css from '../parts/operate.module.css';
import { OperateNav } from '../parts/operate-nav';
import { DailySpending } from './daily-spending';

/** The team's spending this month, against its limit, and by category. */
export const SpendingScreen = () => (
  <>
    <h1>Spending</h1>
    <OperateNav />
    <QueryBoundary rows={4}>
      <ThisMonth />
    </QueryBoundary>
    <DailySpending />
  </>
);

function ThisMonth() {
  const { data: spending } = useSuspenseQuery(spendingQuery);
  return (
    <>
      <Spent spending={spending} />
      <p className="muted">
        Cost as reported by <Link to="/operate/providers">providers</Link>, else computed from the prices of their
        models, including embeddings. Models without prices add no cost. Each <Link to="/runs">run</Link> shows its cost
        by model.
      </p>
      <SettingForm
        name="spending"
        stored={{ monthly_cap_usd: spending.monthly_cap_usd }}
        put={setSpending}
        bodyOf={(value) => ({ monthly_cap_usd: null, ...value })}
        refreshes={keys.settings}
        save="Save the cap"
      >
        <NumberField path="monthly_cap_usd" label="Monthly cap in US dollars" help="Empty: no cap." />
      </SettingForm>
    </>
  );
}

function Spent({ spending: { spent_usd: spent, monthly_cap_usd: cap, month } }: { spending: Spending }) {
  const share = cap === null ? undefined : cap === 0 ? 1 : spent / cap;
  return (
    <section aria-labelledby="this-month" className={`section ${css.cap}`}>
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
