import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { HomeSuite } from '#lib/contracts/home';
import { count, Money, percent } from '../../../ui/amounts';
import { Chip } from '../../../ui/chip';
import { Section } from '../../../ui/query-boundary';
import { Status } from '../../../ui/status';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { ModelName } from '../../providers/parts/model-name';
import { Against } from '../../runs/parts/against';
import css from './home.module.css';

// Not in the first view; its place is kept.
const SuiteTrend = lazy(async () => ({ default: (await import('./suite-trend')).SuiteTrend }));

/** A card for each suite that ran last; the others are found by their names. */
export const SuiteCards = ({ suites, more }: { suites: readonly HomeSuite[]; more: number }) => (
  <Section id="suites" title="Suites" action={more > 0 && <Link to="/suites">{count(more)} more</Link>}>
    <div className={css.cards}>
      {suites.map((suite) => (
        <SuiteCard key={suite.suite.id} of={suite} />
      ))}
    </div>
  </Section>
);

function SuiteCard({ of: { suite, last_run: last, measured, best, points } }: { of: HomeSuite }) {
  return (
    <article className={css.card} aria-label={`Suite ${suite.name.slice(0, 100)}`}>
      <h3>
        <Link to="/suites/$suiteId" params={{ suiteId: suite.id }}>
          <UserLine text={suite.name} />
        </Link>
      </h3>
      <Best of={best} interval={intervalOf(best, points)} />
      <Suspense fallback={<div className={css.trend} />}>
        <SuiteTrend of={{ points, best }} />
      </Suspense>
      <div className={css.marks}>
        {last && <LastRun of={last} />}
        {measured && <Against of={measured} />}
        {last === null && <span className="muted">Not run yet.</span>}
      </div>
      <div className={css.foot}>
        {last && <CostAndAge of={last} />}
        <Link
          to="/runs/new"
          search={last ? { from: last.id } : { suite: suite.id }}
          className="button dense"
          aria-label={`${last ? 'Run again' : 'Run'}: ${suite.name.slice(0, 100)}`}
        >
          {last ? 'Run again' : 'Run'}
        </Link>
      </div>
    </article>
  );
}

/** "3 tie, best 89.1 %": none is called the best where they cannot be told apart. */
function Best({ of, interval }: { of: HomeSuite['best']; interval: string }) {
  if (of === null) return <p className={css.best}>–</p>;
  const [first, ...others] = of.targets;
  return (
    <p className={css.best} title={of.targets.slice(0, MAX_NAMED).join(', ')}>
      {percent(of.score)}{' '}
      <span className={css.who}>
        {interval}
        {others.length > 0 ? `${count(of.targets.length)} tie` : <ModelName target={first!} />}
      </span>
    </p>
  );
}
const MAX_NAMED = 12;

/** "79.5-95.9, ": the 95 % interval of the best model's score. */
function intervalOf(best: HomeSuite['best'], points: HomeSuite['points']): string {
  const ci = points.at(-1)?.models.find(({ target }) => target === best?.targets[0])?.ci;
  return ci ? `${ci.map((end) => (100 * end).toFixed(1)).join('-')}, ` : '';
}

const LastRun = ({ of: last }: { of: NonNullable<HomeSuite['last_run']> }) => (
  <>
    <Link to="/runs/$runId" params={{ runId: last.id }} className={css.run}>
      <UserLine text={last.name ?? 'Last run'} />
    </Link>
    {last.status !== 'completed' && <Status status={last.status} />}
  </>
);

/** Models of the simulator have no price, and cost nothing. */
const CostAndAge = ({ of: last }: { of: NonNullable<HomeSuite['last_run']> }) => (
  <span className="small muted">
    {last.simulated ? (
      <Chip title="Simulated models need no key and cost nothing.">simulated, no cost</Chip>
    ) : (
      last.finished_at !== null && <Money usd={last.cost_usd} />
    )}{' '}
    <Time at={last.finished_at ?? last.created_at} />
  </span>
);
