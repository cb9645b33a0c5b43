import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy } from 'react';
import type { Home } from '#lib/contracts/home';
import { meQuery } from '../../../api/session';
import { Head } from '../../../ui/head';
import { QueryBoundary } from '../../../ui/query-boundary';
import { homeQuery } from '../api';
import { Concerns } from './concerns';
import { SuiteCards } from './suite-cards';

// What is often empty, or stands below, is not in the first view.
const UnderWay = lazy(async () => ({ default: (await import('./under-way')).UnderWay }));
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps')).FirstSteps }));
const Month = lazy(async () => ({ default: (await import('./month')).Month }));

/** What needs somebody, what is under way, and how the suites went. */
export const HomeScreen = () => (
  <>
    <Head title="Home" actions={<Link to="/suites">All suites</Link>} />
    <QueryBoundary rows={20}>
      {useSuspenseQuery(meQuery).data.token?.suite_ids ? (
        <p>The token that you signed in with is limited to some suites.</p>
      ) : (
        <Parts />
      )}
    </QueryBoundary>
  </>
);

function Parts() {
  const { data: home } = useSuspenseQuery(homeQuery);
  const { concerns, as_good: asGood, under_way: jobs, suites, more_suites: more, month, first_steps: steps } = home;
  const isNew = suites.every(({ last_run: last }) => last === null);
  const first = hasFirstSteps(steps, isNew) && (
    <QueryBoundary rows={8}>
      <FirstSteps steps={steps} isNew={isNew} />
    </QueryBoundary>
  );
  return (
    <>
      <Concerns concerns={concerns} asGood={asGood} of={suites.length + more} />
      {jobs.length > 0 && (
        <QueryBoundary rows={jobs.length + 1}>
          <UnderWay jobs={jobs} />
        </QueryBoundary>
      )}
      {isNew && first}
      {suites.length > 0 && <SuiteCards suites={suites} more={more} />}
      {!isNew && (
        <QueryBoundary rows={8}>
          <Month month={month} />
        </QueryBoundary>
      )}
      {!isNew && first}
    </>
  );
}

/** Until all are done; a user may put them away before, unless there is nothing else to show. */
const hasFirstSteps = ({ items, hidden }: Home['first_steps'], isNew: boolean): boolean =>
  items.some(({ done }) => !done) && (isNew || !hidden);
