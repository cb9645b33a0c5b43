import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Spending } from '#lib/contracts/settings';
import { SIMULATOR } from '#lib/contracts/values/home';
import { count, money } from '../../../ui/amounts';
import { Section } from '../../../ui/query-boundary';
import { Bar } from '../../../ui/status';
import { ModelName } from '../../providers/parts/model-name';
import { monthByModelQuery } from '../api';
import css from './home.module.css';

const MAX_MODELS = 5;

/** What the month cost so far, and which models most. */
export const Month = ({ month: { spent_usd: spent, monthly_cap_usd: cap } }: { month: Spending }) => (
  <Section id="month" title="This month" rows={6} action={<Link to="/operate/spending">Spending</Link>}>
    <p className="sentence">
      {money(spent)} of {cap === null ? 'no cap' : money(cap)}
    </p>
    {cap !== null && <Bar done={Math.min(spent, cap)} total={cap} label="Share of the cap spent" />}
    <ByModel />
  </Section>
);

function ByModel() {
  const { items } = useSuspenseQuery(monthByModelQuery).data;
  const priced = items.filter(({ model, cost_usd: cost }) => cost > 0 || !model?.startsWith(`${SIMULATOR}::`));
  const shown = priced.slice(0, MAX_MODELS);
  const most = Math.max(0, ...shown.map(({ cost_usd: cost }) => cost));
  return (
    <>
      {shown.length > 0 && (
        <ul className={css.models}>
          {shown.map(({ model, cost_usd: cost, requests }) => (
            <li key={model}>
              <ModelName target={model!} />
              <span className={css.share} style={{ width: `${most > 0 ? (100 * cost) / most : 0}%` }} />
              <span>{cost === 0 && requests > 0 ? 'no price' : money(cost)}</span>
            </li>
          ))}
        </ul>
      )}
      {priced.length > MAX_MODELS && <p className="small muted">{count(priced.length - MAX_MODELS)} more</p>}
    </>
  );
}
