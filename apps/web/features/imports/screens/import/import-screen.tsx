import { getRouteApi, Link } from '@tanstack/react-router';
import { ImportFile } from './import-file';
import { ImportMcp } from './import-mcp';
import './import.css';

const route = getRouteApi('/signed-in/import');

/** Three ways to create a suite: a file, the example, the tools of an MCP server. */
export function ImportScreen() {
  const { from } = route.useSearch();
  return (
    <>
      <h1>New suite</h1>
      <nav className="ways" aria-label="Source of the suite">
        <Link to="/import" search={{}} activeOptions={{ exact: true }}>
          A file
        </Link>
        <Link to="/import" search={{ from: 'example' }}>
          The example
        </Link>
        <Link to="/import" search={{ from: 'mcp' }}>
          An MCP server
        </Link>
      </nav>
      {from === 'mcp' ? <ImportMcp /> : <ImportFile key={from} isExample={from === 'example'} />}
    </>
  );
}
