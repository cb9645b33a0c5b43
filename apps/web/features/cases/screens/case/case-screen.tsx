import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toText } from '#lib/contracts/json/json';
import { suiteQuery } from '../../../suites/api';
import { caseQuery, type StoredCase } from '../../api';
import { CaseHistory } from '../../../results/parts/case-history';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { Skeleton } from '../../../../ui/skeleton';
import { CaseEditor } from './case-editor';
import { promptStart } from './prompt-start';
import './case.css';

const route = getRouteApi('/signed-in/suites/$suiteId/cases/$caseId');
const newRoute = getRouteApi('/signed-in/suites/$suiteId/cases/new');

/** A case's expectation, and its results so far. */
export function CaseScreen() {
  const { suiteId, caseId } = route.useParams();
  const { as } = route.useSearch();
  const navigate = route.useNavigate();
  const stored = useQuery(caseQuery(suiteId, caseId));
  return (
    <>
      <CaseFrame
        key={caseId}
        suiteId={suiteId}
        title={stored.data ? <CaseTitle stored={stored.data} /> : 'Case'}
        stored={stored}
        isJson={as === 'json'}
        showJson={(isJson) => void navigate({ search: isJson ? { as: 'json' } : {}, replace: true })}
      />
      <section aria-labelledby="history">
        <h2 id="history">Results in runs</h2>
        <CaseHistory suiteId={suiteId} caseId={caseId} />
      </section>
    </>
  );
}

export function NewCaseScreen() {
  const { suiteId } = newRoute.useParams();
  const { as } = newRoute.useSearch();
  const navigate = newRoute.useNavigate();
  return (
    <CaseFrame
      key={suiteId}
      suiteId={suiteId}
      title="New case"
      isJson={as === 'json'}
      showJson={(isJson) => void navigate({ search: isJson ? { as: 'json' } : {}, replace: true })}
    />
  );
}

const CaseTitle = ({ stored }: { stored: StoredCase }) => (
  <>
    Case {stored.position + 1}: <UserText text={toText(stored.name ?? '') || promptStart(stored)} />
  </>
);

interface FrameProps {
  suiteId: string;
  title: ReactNode;
  /** Undefined for a new case. */
  stored?: UseQueryResult<StoredCase>;
  isJson: boolean;
  showJson: (isJson: boolean) => void;
}

/** The heading and the editor of a case, once its suite and the case are there. */
function CaseFrame({ suiteId, title, stored, isJson, showJson }: FrameProps) {
  const suite = useQuery(suiteQuery(suiteId));
  const failed = [suite, stored].find((query) => query?.isError && !query.data);
  const link = (text: ReactNode) => (
    <Link to="/suites/$suiteId" params={{ suiteId }}>
      {text}
    </Link>
  );
  return (
    <>
      <header>
        <p className="small">{link(<UserText text={suite.data?.name ?? 'The suite'} max={200} />)}</p>
        <h1>{title}</h1>
      </header>
      {failed && (
        <ErrorNotice error={failed.error!} retry={failed.refetch}>
          <p>{link('To the suite')}</p>
        </ErrorNotice>
      )}
      {suite.data && (!stored || stored.data) ? (
        <CaseEditor suite={suite.data} stored={stored?.data} {...{ isJson, showJson }} />
      ) : (
        !failed && <Skeleton rows={12} />
      )}
    </>
  );
}
