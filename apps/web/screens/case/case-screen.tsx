import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { toText } from '#lib/contracts/json/json';
import { caseQuery, suiteQuery } from '../../api/suites';
import { CaseHistory } from '../../parts/case-history';
import { Failed } from '../../parts/failed';
import { Given } from '../../parts/given';
import { Skeleton } from '../../parts/skeleton';
import { CaseEditor } from './case-editor';
import { promptStart } from './prompt-start';
import './case.css';

const route = getRouteApi('/signed-in/suites/$suiteId/cases/$caseId');

/** A case's expectation, and its results so far. */
export function CaseScreen() {
  const { suiteId, caseId } = route.useParams();
  const { as } = route.useSearch();
  const navigate = route.useNavigate();
  const suite = useQuery(suiteQuery(suiteId));
  const stored = useQuery(caseQuery(suiteId, caseId));
  const failed = suite.isError && !suite.data ? suite : stored.isError && !stored.data ? stored : undefined;
  return (
    <>
      <header>
        <p className="small">
          <Link to="/suites/$suiteId" params={{ suiteId }}>
            <Given text={suite.data?.name ?? 'The suite'} max={200} />
          </Link>
        </p>
        <h1>
          {stored.data ? (
            <>
              Case {stored.data.position + 1}:{' '}
              <Given text={toText(stored.data.name ?? '') || promptStart(stored.data)} />
            </>
          ) : (
            'Case'
          )}
        </h1>
      </header>
      {failed && (
        <Failed error={failed.error!} retry={failed.refetch}>
          <p>
            <Link to="/suites/$suiteId" params={{ suiteId }}>
              To the suite
            </Link>
          </p>
        </Failed>
      )}
      {suite.data && stored.data ? (
        <CaseEditor
          key={caseId}
          suite={suite.data}
          stored={stored.data}
          isJson={as === 'json'}
          showJson={(isJson) => void navigate({ search: isJson ? { as: 'json' } : {}, replace: true })}
        />
      ) : (
        !failed && <Skeleton rows={12} />
      )}
      <section aria-labelledby="history">
        <h2 id="history">Results in runs</h2>
        <CaseHistory suiteId={suiteId} caseId={caseId} />
      </section>
    </>
  );
}
