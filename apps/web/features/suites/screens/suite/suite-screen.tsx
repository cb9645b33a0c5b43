import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Suite } from '#lib/contracts/suite';
import { useRefusal } from '../../../../api/session';
import { suiteQuery } from '../../api/suites';
import { AllowedButton } from '../../../../ui/allowed-button';
import { CopiedId } from '../../../../ui/copied-id';
import { DeleteSuite } from '../../parts/delete-suite';
import { ExportSuite } from '../../parts/export-suite';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { Skeleton } from '../../../../ui/skeleton';
import { CaseList } from './case-list';
import { SuiteSettings } from './suite-settings';
import { SuiteTools } from './suite-tools';
import './suite.css';

const route = getRouteApi('/signed-in/suites/$suiteId');

/** What a suite tests: its settings, its tools, its cases. */
export function SuiteScreen() {
  const { suiteId } = route.useParams();
  const suite = useQuery(suiteQuery(suiteId));
  if (suite.data)
    return (
      <>
        <Head suite={suite.data} />
        {suite.isError && <ErrorNotice error={suite.error} retry={suite.refetch} />}
        <CaseList key={`${suiteId} cases`} suite={suite.data} />
        <SuiteTools key={`${suiteId} tools`} suite={suite.data} />
        <SuiteSettings key={`${suiteId} settings`} suite={suite.data} />
      </>
    );
  return (
    <>
      <h1>Suite</h1>
      {suite.isError ? (
        <ErrorNotice error={suite.error} retry={suite.refetch}>
          <p>
            <Link to="/suites">To the suites</Link>
          </p>
        </ErrorNotice>
      ) : (
        <Skeleton rows={12} />
      )}
    </>
  );
}

function Head({ suite }: { suite: Suite }) {
  const { id, name, version, description } = suite;
  return (
    <header className="suite-head">
      <div className="head">
        <h1>
          <UserText text={name} max={200} />
        </h1>
        <Actions suite={suite} />
      </div>
      {description && (
        <p>
          <UserText text={description} max={500} />
        </p>
      )}
      <p className="muted">
        <Link to="/suites/$suiteId/versions/$version" params={{ suiteId: id, version: String(version) }}>
          Version {version} and changes
        </Link>
        {', '}
        <Link to="/prompts" search={{ suite: id }}>
          prompt versions
        </Link>{' '}
        <CopiedId id={id} what="suite" />
      </p>
    </header>
  );
}

function PlayLinks({ suite: { id, test_cases_count: cases } }: { suite: Suite }) {
  const role = useRefusal('editor');
  const refusal = role ?? (cases === 0 ? 'The suite has no cases yet.' : undefined);
  if (refusal !== undefined)
    return (
      <>
        <button type="button" disabled title={refusal}>
          Run
        </button>
        <button type="button" disabled title={refusal}>
          Tune parameters
        </button>
        <button type="button" disabled title={refusal}>
          Tune prompts
        </button>
      </>
    );
  return (
    <>
      <Link to="/runs/new" search={{ suite: id }} className="button primary">
        Run
      </Link>
      <Link to="/tunes/new" search={{ suite: id }} className="button">
        Tune parameters
      </Link>
      <Link to="/tunes/new-prompt" search={{ suite: id }} className="button">
        Tune prompts
      </Link>
    </>
  );
}

function Actions({ suite }: { suite: Suite }) {
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="actions">
      <PlayLinks suite={suite} />
      <Link to="/suites/$suiteId/mcp" params={{ suiteId: suite.id }} className="button">
        Tools from MCP
      </Link>
      <ExportSuite suiteId={suite.id} />
      <AllowedButton refusal={refusal} onClick={() => setDeleting(true)}>
        Delete
      </AllowedButton>
      {isDeleting && (
        <DeleteSuite suite={suite} close={() => setDeleting(false)} onDone={() => navigate({ to: '/suites' })} />
      )}
    </div>
  );
}
