import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Head } from '../../../ui/head';
import { QueryBoundary } from '../../../ui/query-boundary';
import { homeQuery } from '../api';
import { Concerns } from './concerns';
import { FirstSteps } from './first-steps';
import { Month } from './month';
import { SuiteCards } from './suite-cards';
import { UnderWay } from './under-way';

/** What needs somebody, what is under way, and how the suites went. */
export const HomeScreen = () => (
  <>
    <Head title="Home" actions={<Link to="/suites">All suites</Link>} />
    <QueryBoundary rows={20}>
      <Parts />
    </QueryBoundary>
  </>
);

function Parts() {
  const { data: home } = useSuspenseQuery(homeQuery);
  const { concerns, as_good: asGood, under_way: jobs, suites, more_suites: more, month, first_steps: steps } = home;
  const isNew = suites.every(({ last_run: last }) => last === null);
  const first = <FirstSteps steps={steps} isNew={isNew} />;
  return (
    <>
      <Concerns concerns={concerns} asGood={asGood} />
      <UnderWay jobs={jobs} />
      {isNew && first}
      {suites.length > 0 && <SuiteCards suites={suites} more={more} />}
      {!isNew && <Month month={month} />}
      {!isNew && first}
    </>
  );
}
