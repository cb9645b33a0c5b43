import { toText, type Json } from '#lib/contracts/json/json';
import { valueAt } from '../../../ui/form/edited';
import { Table } from '../../../ui/table';
import { UserText } from '../../../ui/user-text';
import { schemaRows } from './schema-rows';

/** A tool's arguments, as a table. */
export function SchemaTable({ schema }: { schema: Json | undefined }) {
  const rows = schemaRows(schema);
  if (rows.length === 0) return <p className="muted">It takes no arguments.</p>;
  return (
    <Table
      label="Arguments of the tool"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        {
          name: 'Argument',
          cell: ({ name, isRequired }) => (
            <>
              <code>
                <UserText text={name} max={200} />
              </code>
              {isRequired && <span className="muted small"> required</span>}
            </>
          ),
        },
        { name: 'Type', cell: ({ type }) => <UserText text={type} max={300} /> },
        { name: 'Meaning', cell: ({ description }) => <UserText text={description} max={500} /> },
      ]}
    />
  );
}

/** The arguments of the suite's tools, for reference while writing an expectation. */
export function ToolReference({ tools }: { tools: Json }) {
  if (!Array.isArray(tools)) return null;
  return (
    <details>
      <summary>Arguments of the tools</summary>
      {tools.map((tool, index) => (
        <section key={index}>
          <h3>
            <code>
              <UserText text={toText(valueAt(tool, ['function', 'name']))} max={100} />
            </code>
          </h3>
          <SchemaTable schema={valueAt(tool, ['function', 'parameters'])} />
        </section>
      ))}
    </details>
  );
}
