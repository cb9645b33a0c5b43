import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Suite } from '#lib/contracts/suite';
import { Tabs } from '../../../ui/tabs';
import { suiteQuery } from '../api';
import { SuiteHead } from './suite-head';

/** A screen of a suite: its head, the tabs, and what the current one shows. */
export function SuiteFrame({ suiteId, children }: { suiteId: string; children: (suite: Suite) => ReactNode }) {
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  const params = { suiteId };
  return (
    <>
      <SuiteHead suite={suite} />
      <Tabs
        label="Screens of the suite"
        items={[
          { to: '/suites/$suiteId', params, label: 'Cases' },
          { to: '/suites/$suiteId/trend', params, label: 'Trend' },
          { to: '/suites/$suiteId/tools', params, label: 'Tools' },
          { to: '/suites/$suiteId/settings', params, label: 'Settings' },
          { to: '/suites/$suiteId/versions', params, label: 'Versions' },
        ]}
      />
      {children(suite)}
    </>
  );
}
