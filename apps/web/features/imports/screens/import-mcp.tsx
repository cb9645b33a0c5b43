import { useAction } from '../../../api/action';
import { ErrorNotice } from '../../../ui/notices';
import { refreshSuites } from '../../suites/api';
import { discoverTools, importTools, type Discovered, type McpAddress, type McpChoice } from '../api';
import { AskServer } from '../parts/ask-server';
import { DiscoveredTools } from './discovered-tools';
import { countOf, SuiteCreated } from './import-results';

/** A suite from the tools of an MCP server: query it, choose, create. */
export const ImportMcp = () => (
  <AskServer action="List tools" words={['Waiting for the server, up to 30 seconds ...', '']} ask={discoverTools}>
    {(found, address) => <ChooseTools address={address} found={found} />}
  </AskServer>
);

function ChooseTools({ address, found }: { address: McpAddress; found: Discovered }) {
  const make = useAction((choice: McpChoice, options) => importTools(address, choice, options), refreshSuites);
  if (make.data) {
    const { suite_id: suiteId, tools_created: tools, test_cases_created: cases, warnings } = make.data;
    return (
      <SuiteCreated suiteId={suiteId} warnings={warnings} again={make.reset}>
        The suite has {countOf(tools, 'tool')} and {countOf(cases, 'draft case')}.
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
