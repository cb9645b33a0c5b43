import type { McpSyncAnswer } from '#lib/contracts/mcp';
import { ChangesTable } from '../../../ui/changes-table';
import { UserBlock, UserText } from '../../../ui/user-text';
import { Warnings } from '../../../ui/notices';

const MAX_CASES = 20;

type AffectedCases = McpSyncAnswer['removed'][number]['cases'];

/** Tools that differ between the server and the suite, with the cases that each of them affects. */
export function SyncDifference({ found: { server, added, removed, changed, warnings } }: { found: McpSyncAnswer }) {
  return (
    <>
      <p className="muted">
        <UserText text={server.name} max={200} /> <UserText text={server.version} max={50} />
      </p>
      <Warnings warnings={warnings} />
      {added.length > 0 && (
        <>
          <h3>New on the server: {added.length}</h3>
          <ul>
            {added.map(({ name, tool }) => (
              <li key={name}>
                <details>
                  <summary>
                    <ToolName name={name} />
                  </summary>
                  <UserBlock code text={JSON.stringify(tool.function, null, 2)} />
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
      {removed.length > 0 && (
        <>
          <h3>Removed from the server: {removed.length}</h3>
          <ul>
            {removed.map(({ name, cases }) => (
              <li key={name}>
                <ToolName name={name} />
                <Cases cases={cases} />
              </li>
            ))}
          </ul>
        </>
      )}
      {changed.map(({ name, fields, before, after, cases }) => (
        <section key={name}>
          <h3>
            <ToolName name={name} /> has changed
          </h3>
          <Cases cases={cases} />
          <ChangesTable
            label={`Changes in the tool ${name}`}
            what="Field"
            a="In the suite"
            b="On the server"
            rows={fields.map((field) => ({ path: field, a: fieldOf(before, field), b: fieldOf(after, field) }))}
          />
        </section>
      ))}
    </>
  );
}

type Changed = McpSyncAnswer['changed'][number];
const fieldOf = (tool: Changed['before'], field: Changed['fields'][number]): unknown =>
  field === 'annotations' ? tool.annotations : tool.function[field];

const ToolName = ({ name }: { name: string }) => (
  <code>
    <UserText text={name} max={100} />
  </code>
);

/** The cases that name a tool, up to a limit. */
function Cases({ cases }: { cases: AffectedCases }) {
  if (cases.length === 0) return <p className="muted small">No case uses it.</p>;
  return (
    <p className="small">
      {cases.length === 1 ? 'Used by 1 case' : `Used by ${cases.length} cases`}:{' '}
      {cases.slice(0, MAX_CASES).map(({ id, position, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <UserText text={name ?? `case ${position}`} max={80} />
        </span>
      ))}
      {cases.length > MAX_CASES && ' and others'}
    </p>
  );
}
