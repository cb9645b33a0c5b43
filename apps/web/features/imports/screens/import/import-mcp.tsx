import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../../../api/action';
import { keys } from '../../../../api/keys';
import { discoverTools, importTools, type Discovered, type McpAddress, type McpChoice } from '../../api/mcp';
import { useRefusal } from '../../../../api/session';
import { AllowedButton } from '../../../../ui/allowed-button';
import { ErrorNotice } from '../../../../ui/error-notice';
import { McpServerFields, NO_ADDRESS } from '../../parts/mcp-server-fields';
import { submitOnCtrlEnter } from '../../../../ui/submit-keys';
import { DiscoveredTools } from './discovered-tools';
import { SuiteCreated } from './import-results';

/** A suite from the tools of an MCP server: query it, choose, create. */
export function ImportMcp() {
  const refusal = useRefusal('editor');
  const [address, setAddress] = useState<McpAddress>(NO_ADDRESS);
  const discover = useAction(discoverTools);
  const ask = (event: FormEvent): void => {
    event.preventDefault();
    discover.mutate(address);
  };
  const change = (next: McpAddress): void => {
    setAddress(next);
    discover.reset();
  };
  return (
    <>
      <form className="fields" onSubmit={ask} onKeyDown={submitOnCtrlEnter}>
        <McpServerFields address={address} onChange={change} />
        <div className="actions">
          <AllowedButton
            type="submit"
            className={discover.data ? '' : 'primary'}
            refusal={refusal}
            disabled={discover.isPending}
          >
            List tools
          </AllowedButton>
          <span role="status">{discover.isPending ? 'Waiting for the server, up to 30 seconds ...' : ''}</span>
        </div>
        {discover.isError && <ErrorNotice error={discover.error} retry={() => discover.mutate(address)} />}
      </form>
      {discover.data && <ChooseTools key={discover.submittedAt} address={address} found={discover.data} />}
    </>
  );
}

function ChooseTools({ address, found }: { address: McpAddress; found: Discovered }) {
  const queries = useQueryClient();
  const make = useAction(
    (choice: McpChoice, options) => importTools(address, choice, options),
    () => queries.invalidateQueries({ queryKey: keys.suites }),
  );
  if (make.data) {
    const { suite_id: suiteId, tools_created: tools, test_cases_created: cases, warnings } = make.data;
    return (
      <SuiteCreated suiteId={suiteId} warnings={warnings} again={make.reset}>
        The suite has {tools} {tools === 1 ? 'tool' : 'tools'} and {cases} draft {cases === 1 ? 'case' : 'cases'}.
        {cases > 0 && ' Runs skip drafts until they are reviewed.'}
      </SuiteCreated>
    );
  }
  return (
    <DiscoveredTools found={found} isBusy={make.isPending} make={make.mutate}>
      {make.isError && <ErrorNotice error={make.error} retry={() => make.variables && make.mutate(make.variables)} />}
    </DiscoveredTools>
  );
}
