import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { toText, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { count } from '../../../ui/amounts';
import { edit, errorsAt, pointerOf, valueAt } from '../../../ui/form/edited';
import { JsonField, LongTextField, TextField } from '../../../ui/form/fields';
import { Form } from '../../../ui/form/form';
import { Faults, useForm } from '../../../ui/form/json-form';
import { TextFilter } from '../../../ui/filters';
import { UserLine } from '../../../ui/user-text';
import { Warnings } from '../../../ui/notices';
import { changeSuite, showSaved } from '../api';
import { SchemaTable } from '../parts/tool-arguments';
import { NEW_TOOL } from './new-suite-screen';
import { SuiteFrame } from './suite-frame';
import css from './suites.module.css';

/** The tools of a suite. */
export function SuiteToolsScreen() {
  const { suiteId } = useParams({ from: '/signed-in/suites/$suiteId/tools' });
  return <SuiteFrame suiteId={suiteId}>{(suite) => <SuiteTools key={suiteId} suite={suite} />}</SuiteFrame>;
}

/** The tools that models are offered, one by one or all as one JSON document. They are saved together. */
function SuiteTools({ suite: { id, tools } }: { suite: Suite }) {
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
  const found = valueAt(edited.value, ['tools']);
  const tools = Array.isArray(found) ? found.length : 0;
  const [isWhole, setWhole] = useState(() => '/tools' in edited.unread);
  return (
    <>
      <div className="head">
        <h2 id="tools">
          {count(tools)} {tools === 1 ? 'tool' : 'tools'}
        </h2>
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
  const [found, setFound] = useState(ALL);
  const list = valueAt(edited.value, ['tools']);
  const tools = Array.isArray(list) ? list : [];
  // Removing a tool moves those after it, so unreadable input would end up at the wrong place.
  const hasUnread = Object.keys(edited.unread).length > 0;
  // A tool that is renamed stays in sight: names are looked at when the filter changes.
  const filter = (text: string): void =>
    setFound({ text, at: new Set(tools.flatMap((tool, index) => (isNamed(tool, text) ? index : []))) });
  const add = (): void => {
    setAdded(tools.length);
    setFound(ALL);
    change(edit(edited, ['tools', tools.length], NEW_TOOL));
  };
  return (
    <>
      {'/tools' in edited.unread && <p className="field-error">The text in All as JSON is not valid yet.</p>}
      {tools.length > MANY && <TextFilter label="Filter tools" text={found.text} change={filter} />}
      <ul className={css.toolList}>
        {tools.map((tool, index) => (
          <li key={`${index} of ${tools.length}`} hidden={found.text !== '' && !found.at.has(index)}>
            <ToolItem
              tool={tool}
              index={index}
              isOpenFirst={index === added}
              refusal={refusal ?? (hasUnread ? 'Correct invalid input first.' : undefined)}
              remove={() => {
                setFound(ALL);
                change(edit(edited, ['tools', index], undefined));
              }}
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

/** More tools than this have a filter. */
const MANY = 20;
const ALL: { text: string; at: ReadonlySet<number> } = { text: '', at: new Set() };
const isNamed = (tool: Json, filter: string): boolean =>
  toText(valueAt(tool, ['function', 'name']))
    .toLowerCase()
    .includes(filter.trim().toLowerCase());

interface Item {
  tool: Json;
  index: number;
  isOpenFirst: boolean;
  refusal: string | undefined;
  remove: () => void;
}

function ToolItem({ tool, index, isOpenFirst, refusal, remove }: Item) {
  const { errors } = useForm();
  const [isOpen, setOpen] = useState(isOpenFirst);
  const hasFault = errorsAt(errors, pointerOf(['tools', index])).length > 0;
  const name = toText(valueAt(tool, ['function', 'name'])) || 'Unnamed tool';
  return (
    <details open={isOpen || hasFault} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
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
      {(isOpen || hasFault) && <OpenTool {...{ tool, index, name, refusal, remove }} />}
    </details>
  );
}

/** A tool's name, description and arguments, or its JSON. */
function OpenTool({ tool, index, name, refusal, remove }: Omit<Item, 'isOpenFirst'> & { name: string }) {
  const { edited, errors } = useForm();
  const path = ['tools', index];
  const [wantsJson, setJson] = useState(false);
  const mustBeJson = pointerOf(path) in edited.unread;
  const isJson = wantsJson || mustBeJson;
  const parameters = valueAt(tool, ['function', 'parameters']);
  const ofParameters = errorsAt(errors, pointerOf([...path, 'function', 'parameters']));
  return (
    <div className={css.tool}>
      {isJson ? (
        <JsonField path={path} label={`JSON of the tool ${name.slice(0, 80)}`} isLabelHidden rows={12} />
      ) : (
        <>
          <TextField path={[...path, 'function', 'name']} label="Name" maxLength={200} whenEmpty="" />
          <LongTextField path={[...path, 'function', 'description']} label="Description" rows={2} whenEmpty="" />
          <SchemaTable schema={parameters} />
          <Faults faults={ofParameters} isWithin />
        </>
      )}
      <div className="actions">
        <button
          type="button"
          className="dense"
          aria-pressed={isJson}
          disabled={mustBeJson}
          aria-label={`JSON of ${name.slice(0, 80)}`}
          onClick={() => setJson(!wantsJson)}
        >
          JSON
        </button>
        <button type="button" className="dense" disabled={refusal !== undefined} title={refusal} onClick={remove}>
          Remove tool
        </button>
      </div>
    </div>
  );
}
