import type { Json } from '#lib/contracts/json/json';
import { Given } from './given';
import { schemaRows } from './schema-rows';

/** A tool's arguments, as a table. */
export function SchemaTable({ schema }: { schema: Json | undefined }) {
  const rows = schemaRows(schema);
  if (rows.length === 0) return <p className="muted">It takes no arguments.</p>;
  return (
    <div className="wide" role="region" aria-label="Arguments of the tool" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Argument</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, type, isRequired, description }) => (
            <tr key={name}>
              <td>
                <code>
                  <Given text={name} max={200} />
                </code>
                {isRequired && <span className="muted small"> required</span>}
              </td>
              <td>
                <Given text={type} max={300} />
              </td>
              <td>
                <Given text={description} max={500} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
