import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Spending } from '#lib/contracts/settings';
import { keys } from '../../../api/keys';
import { Bar } from '../../../ui/status';
import { NumberField } from '../../../ui/form/fields';
import { SettingForm } from '../../../ui/form/setting-form';
import { money, percent } from '../../../ui/amounts';
import { Head } from '../../../ui/head';
import { Note } from '../../../ui/hint';
import { QueryBoundary, Section } from '../../../ui/query-boundary';
import { setSpending, spendingQuery } from '../../settings/api';
import css from '../parts/operate.module.css';
import { OPERATE, OperateNav } from '../parts/operate-nav';
import { DailySpending } from './daily-spending';

/** The team's spending this month, against its limit, and by category. */
export const SpendingScreen = () => (
  <>
    <Head title="Spending" trail={OPERATE} />
    <OperateNav />
    <QueryBoundary rows={3}>
      <ThisMonth />
    </QueryBoundary>
    <DailySpending />
    <Section id="cap" title="Monthly cap" rows={3}>
      <Cap />
    </Section>
  </>
);

const ThisMonth = () => <Spent spending={useSuspenseQuery(spendingQuery).data} />;

function Spent({ spending: { spent_usd: spent, monthly_cap_usd: cap, month } }: { spending: Spending }) {
  const share = cap === null ? undefined : cap === 0 ? 1 : spent / cap;
  return (
    <section aria-label={`Spending in ${month}`} className={`section ${css.cap}`}>
      <p className="sentence">
        <strong>{money(spent)}</strong> {cap === null ? 'this month. No cap.' : `of ${money(cap)} this month.`}
        {share !== undefined && share < 1 && ` ${percent(share)}.`}{' '}
        <Note of="How it is counted">
          In {month}, UTC. As <Link to="/operate/providers">providers</Link> bill it, else by the prices of their
          models. Models without prices add no cost.
        </Note>
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

function Cap() {
  const { data: spending } = useSuspenseQuery(spendingQuery);
  return (
    <SettingForm
      name="spending"
      stored={{ monthly_cap_usd: spending.monthly_cap_usd }}
      put={setSpending}
      bodyOf={(value) => ({ monthly_cap_usd: null, ...value })}
      refreshes={keys.settings}
      save="Save the cap"
    >
      <NumberField path="monthly_cap_usd" label="US dollars" help="Empty: no cap." />
    </SettingForm>
  );
}
