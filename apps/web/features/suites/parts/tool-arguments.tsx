import type { Json } from '#lib/contracts/json/json';
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
