import { toText, type Json } from '#lib/contracts/json/json';
import { valueAt } from '../../../../ui/form/edited';
import { UserText } from '../../../../ui/user-text';
import { SchemaTable } from '../../../suites/parts/schema-table';

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
