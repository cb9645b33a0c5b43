import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { McpSyncAnswer } from '#lib/contracts/mcp';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { Head } from '../../../ui/head';
import { ErrorNotice } from '../../../ui/notices';
import { UserText } from '../../../ui/user-text';
import { suiteQuery } from '../../suites/api';
import { syncTools, type McpAddress } from '../api';
import { AskServer } from '../parts/ask-server';
import { SyncDifference } from './sync-difference';

/** Updates the tools of a suite from the MCP server they came from: preview, then apply. */
export function SuiteMcpScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId/mcp' });
  const { data: suite } = useSuspenseQuery(suiteQuery(suiteId));
  return (
    <>
      <Head
        title="Update tools"
        trail={[
          { to: '/suites', label: 'Suites' },
          { to: '/suites/$suiteId', params: { suiteId }, label: suite.name },
        ]}
        status={suite.mcp_url !== null && <UserText text={suite.mcp_url} max={200} />}
      />
      <AskServer
        isKnown={suite.mcp_url !== null}
        action="Compare"
        words={['Asking the server; it has 30 seconds.', 'The server answered.']}
        ask={(address, options) => syncTools(suiteId, address, { apply: false, keepRemoved: false }, options)}
      >
        {(found, address, lookAgain) => <Found {...{ suiteId, address, found, lookAgain }} />}
      </AskServer>
    </>
  );
}

const SuiteLink = ({ suiteId }: { suiteId: string }) => (
  <Link to="/suites/$suiteId" params={{ suiteId }}>
    The suite
  </Link>
);

interface FoundProps {
  suiteId: string;
  address: McpAddress;
  found: McpSyncAnswer;
  lookAgain: () => void;
}

function Found({ suiteId, address, found, lookAgain }: FoundProps) {
  const [keepRemoved, setKeepRemoved] = useState(false);
  const apply = useAction(
    (keeps: boolean, options) => syncTools(suiteId, address, { apply: true, keepRemoved: keeps }, options),
    () => queryClient.invalidateQueries({ queryKey: keys.suite(suiteId) }),
  );
  if (apply.data)
    return (
      <section aria-labelledby="applied">
        <h2 id="applied" tabIndex={-1} ref={(heading) => heading?.focus()}>
          Tools updated: suite version {apply.data.version}
        </h2>
        <SyncDifference found={apply.data} />
        <p>
          <SuiteLink suiteId={suiteId} />
        </p>
      </section>
    );
  const isSame = found.added.length + found.changed.length + found.removed.length === 0;
  return (
    <section aria-labelledby="found">
      <h2 id="found">{isSame ? 'The suite matches the server' : 'Changes to apply'}</h2>
      <SyncDifference found={found} />
      {!isSame && (
        <div className="fields">
          {found.removed.length > 0 && (
            <label className="check">
              <input type="checkbox" checked={keepRemoved} onChange={({ target }) => setKeepRemoved(target.checked)} />
              Keep tools removed from the server
            </label>
          )}
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={apply.isPending}
              onClick={() => apply.mutate(keepRemoved)}
            >
              Apply
            </button>
            <button type="button" disabled={apply.isPending} onClick={lookAgain}>
              Compare again
            </button>
          </div>
          {apply.isError && <ErrorNotice error={apply.error} retry={() => apply.mutate(keepRemoved)} />}
        </div>
      )}
    </section>
  );
}
