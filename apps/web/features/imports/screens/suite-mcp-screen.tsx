import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { McpSyncAnswer } from '#lib/contracts/mcp';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { syncTools, type McpAddress } from '../api/mcp';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/allowed-button';
import { ErrorNotice } from '../../../ui/error-notice';
import { McpServerFields, NO_ADDRESS } from '../parts/mcp-server-fields';
import { submitOnCtrlEnter } from '../../../ui/submit-keys';
import { SyncDifference } from './sync-difference';

const route = getRouteApi('/signed-in/suites/$suiteId/mcp');

/** Updates the tools of a suite from the MCP server they came from: preview, then apply. */
export function SuiteMcpScreen() {
  const { suiteId } = route.useParams();
  const refusal = useRefusal('editor');
  const [address, setAddress] = useState<McpAddress>(NO_ADDRESS);
  const look = useAction((asked: McpAddress, options) =>
    syncTools(suiteId, asked, { apply: false, keepRemoved: false }, options),
  );
  const ask = (event: FormEvent): void => {
    event.preventDefault();
    look.mutate(address);
  };
  const change = (next: McpAddress): void => {
    setAddress(next);
    look.reset();
  };
  return (
    <>
      <header>
        <h1>Tools of an MCP server</h1>
        <p>
          Compares the tools of <SuiteLink suiteId={suiteId} /> with those of the server. Nothing changes until you
          apply it.
        </p>
      </header>
      <form className="fields" onSubmit={ask} onKeyDown={submitOnCtrlEnter}>
        <McpServerFields address={address} onChange={change} isKnown />
        <div className="actions">
          <AllowedButton
            type="submit"
            className={look.data ? '' : 'primary'}
            refusal={refusal}
            disabled={look.isPending}
          >
            Compare
          </AllowedButton>
          <span role="status">
            {look.isPending ? 'Asking the server; it has 30 seconds.' : look.data && 'The server answered.'}
          </span>
        </div>
        {look.isError && <ErrorNotice error={look.error} retry={() => look.mutate(address)} />}
      </form>
      {look.data && (
        <Found
          key={look.submittedAt}
          suiteId={suiteId}
          address={address}
          found={look.data}
          lookAgain={() => look.mutate(address)}
        />
      )}
    </>
  );
}

const SuiteLink = ({ suiteId }: { suiteId: string }) => (
  <Link to="/suites/$suiteId" params={{ suiteId }}>
    the suite
  </Link>
);

interface FoundProps {
  suiteId: string;
  address: McpAddress;
  found: McpSyncAnswer;
  lookAgain: () => void;
}

function Found({ suiteId, address, found, lookAgain }: FoundProps) {
  const queries = useQueryClient();
  const [keepRemoved, setKeepRemoved] = useState(false);
  const apply = useAction(
    (keeps: boolean, options) => syncTools(suiteId, address, { apply: true, keepRemoved: keeps }, options),
    () => queries.invalidateQueries({ queryKey: keys.suite(suiteId) }),
  );
  if (apply.data)
    return (
      <section aria-labelledby="applied">
        <h2 id="applied" tabIndex={-1} ref={(heading) => heading?.focus()}>
          Tools updated: suite version {apply.data.version}
        </h2>
        <SyncDifference found={apply.data} />
        <p>
          To <SuiteLink suiteId={suiteId} />
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
