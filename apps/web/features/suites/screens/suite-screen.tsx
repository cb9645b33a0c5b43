import { useParams } from '@tanstack/react-router';
import { CaseList } from './case-list';
import { SuiteFrame } from './suite-frame';

/** The cases of a suite. */
export function SuiteScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId' });
  return <SuiteFrame suiteId={suiteId}>{(suite) => <CaseList key={suiteId} suite={suite} />}</SuiteFrame>;
}
