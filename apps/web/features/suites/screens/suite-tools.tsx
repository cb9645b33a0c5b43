import { useMemo, useState } from 'react';
import { toText, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { edit, valueAt } from '../../../ui/form/edited';
import { JsonField } from '../../../ui/form/fields';
import { Form } from '../../../ui/form/form';
import { useForm } from '../../../ui/form/json-form';
import { UserLine } from '../../../ui/user-text';
import { Warnings } from '../../../ui/notices';
import { changeSuite, showSaved } from '../api';
import { SchemaTable } from '../parts/tool-arguments';
import { NEW_TOOL } from './new-suite-screen';
import css from './suites.module.css';

/** The tools that models are offered, one by one or all as one JSON document. They are saved together. */
export function SuiteTools({ suite: { id, tools } }: { suite: Suite }) {
  return (
    <section aria-labelledby="tools">
      <Form
        name={`suite.${id}.tools`}
        initial={useMemo(() => ({ tools: tools as unknown as Json }), [tools])}
        send={(typed, options) => changeSuite(id, typed, options)}
        onDone={showSaved}
        save="Save tools"
        saved={({ version }) => `Saved: version ${version}.`}
        className={`section ${css.tools}`}
        below={({ warnings }) => <Warnings warnings={warnings} />}
      >
        <Tools />
      </Form>
    </section>
  );
}

function Tools() {
  const { edited } = useForm();
  const [isWhole, setWhole] = useState(() => '/tools' in edited.unread);
  return (
    <>
      <div className="head">
        <h2 id="tools">Tools</h2>
        <button type="button" className="dense" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          All as JSON
        </button>
      </div>
      {isWhole ? <JsonField path="tools" label="All tools" isLabelHidden rows={16} /> : <ToolList />}
    </>
  );
}

function ToolList() {
  const { edited, change, refusal } = useForm();
  const [added, setAdded] = useState<number>();
  const found = valueAt(edited.value, ['tools']);
  const tools = Array.isArray(found) ? found : [];
  // Removing a tool moves those after it, so unreadable input would end up at the wrong place.
  const hasUnread = Object.keys(edited.unread).length > 0;
  const add = (): void => {
    setAdded(tools.length);
    change(edit(edited, ['tools', tools.length], NEW_TOOL));
  };
  return (
    <>
      {'/tools' in edited.unread && <p className="field-error">The text in All as JSON is not valid yet.</p>}
      <ul className={css.toolList}>
        {tools.map((tool, index) => (
          <li key={`${index} of ${tools.length}`}>
            <ToolItem
              tool={tool}
              index={index}
              isOpenFirst={index === added}
              refusal={refusal ?? (hasUnread ? 'Correct invalid input first.' : undefined)}
              remove={() => change(edit(edited, ['tools', index], undefined))}
            />
          </li>
        ))}
      </ul>
      <div>
        <button type="button" disabled={refusal !== undefined} title={refusal} onClick={add}>
          Add a tool
        </button>
      </div>
    </>
  );
}

interface Item {
  tool: Json;
  index: number;
  isOpenFirst: boolean;
  refusal: string | undefined;
  remove: () => void;
}

function ToolItem({ tool, index, isOpenFirst, refusal, remove }: Item) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const name = toText(valueAt(tool, ['function', 'name'])) || 'Unnamed tool';
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span className={css.toolLine}>
          <code>
            <UserLine text={name} max={100} />
          </code>
          <span className="muted">
            <UserLine text={toText(valueAt(tool, ['function', 'description']))} />
          </span>
        </span>
      </summary>
      {isOpen && (
        <div className={css.tool}>
          <div>
            <JsonField path={['tools', index]} label={`JSON of the tool ${name.slice(0, 80)}`} isLabelHidden rows={8} />
            <button type="button" className="dense" disabled={refusal !== undefined} title={refusal} onClick={remove}>
              Remove tool
            </button>
          </div>
          <SchemaTable schema={valueAt(tool, ['function', 'parameters'])} />
        </div>
      )}
    </details>
  );
}
