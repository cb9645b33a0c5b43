import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { suiteQuery } from '../../api/suites';
import { Failed } from '../../parts/failed';
import { Given } from '../../parts/given';
import { Skeleton } from '../../parts/skeleton';
import { CaseEditor } from './case-editor';
import './case.css';

const route = getRouteApi('/signed-in/suites/$suiteId/cases/new');

export function NewCaseScreen() {
  const { suiteId } = route.useParams();
  const { as } = route.useSearch();
  const navigate = route.useNavigate();
  const suite = useQuery(suiteQuery(suiteId));
  return (
    <>
      <header>
        <p className="small">
          <Link to="/suites/$suiteId" params={{ suiteId }}>
            <Given text={suite.data?.name ?? 'The suite'} max={200} />
          </Link>
        </p>
        <h1>New case</h1>
      </header>
      {suite.isError && !suite.data && <Failed error={suite.error} retry={suite.refetch} />}
      {suite.data ? (
        <CaseEditor
          key={suiteId}
          suite={suite.data}
          stored={undefined}
          isJson={as === 'json'}
          showJson={(isJson) => void navigate({ search: isJson ? { as: 'json' } : {}, replace: true })}
        />
      ) : (
        !suite.isError && <Skeleton rows={12} />
      )}
    </>
  );
}
