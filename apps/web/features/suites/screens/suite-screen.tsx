import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { suiteQuery } from '../api';
import { CaseList } from './case-list';
import { SuiteHead } from './suite-head';
import { SuiteSettings } from './suite-settings';
import { SuiteTools } from './suite-tools';

/** What a suite tests: its settings, its tools, its cases. */
export function SuiteScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId' });
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  return (
    <>
      <SuiteHead suite={suite} />
      <CaseList key={`${suiteId} cases`} suite={suite} />
      <SuiteTools key={`${suiteId} tools`} suite={suite} />
      <SuiteSettings key={`${suiteId} settings`} suite={suite} />
    </>
  );
}
