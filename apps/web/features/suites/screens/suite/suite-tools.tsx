import { useMemo, useState } from 'react';
import { toText, type Json } from '#lib/contracts/json/json';
import type { Suite } from '#lib/contracts/suite';
import { useRefusal } from '../../../../api/session';
import { useDraft } from '../../../../ui/draft';
import { DraftForm } from '../../../../ui/form/draft-form';
import { edit, valueAt, type Edited } from '../../../../ui/form/edited';
import { JsonField } from '../../../../ui/form/fields';
import { UserLine } from '../../../../ui/user-text';
import { SchemaTable } from '../../parts/schema-table';
import { Warnings } from '../../../../ui/warnings';
import { NEW_TOOL } from './new-tool';
import { useSaveSuite } from './use-save-suite';

/** The tools that models are offered, one by one or all as one JSON document. They are saved together. */
export function SuiteTools({ suite: { id, tools } }: { suite: Suite }) {
  const refusal = useRefusal('editor');
  const stored = useMemo<Edited>(() => ({ value: { tools: tools as unknown as Json }, unread: {} }), [tools]);
  const draft = useDraft(`suite.${id}.tools`, stored);
  const [isWhole, setWhole] = useState(() => '/tools' in draft.value.unread);
  const { warnings, saving, send, saved } = useSaveSuite(id, draft, (typed) => typed);
  return (
    <section aria-labelledby="tools">
      <DraftForm
        {...{ draft, saving, refusal, send, saved }}
        save="Save tools"
        className="tools"
        below={<Warnings warnings={warnings} />}
      >
        <div className="head">
          <h2 id="tools">Tools</h2>
          <button type="button" className="dense" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            All as JSON
          </button>
        </div>
        {isWhole ? (
          <JsonField path={['tools']} label="All tools" isLabelHidden rows={16} />
        ) : (
          <ToolList edited={draft.value} change={draft.change} refusal={refusal} />
        )}
      </DraftForm>
    </section>
  );
}

interface List {
  edited: Edited;
  change: (edited: Edited) => void;
  refusal: string | undefined;
}

function ToolList({ edited, change, refusal }: List) {
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
      <ul className="tool-list">
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
        <span className="tool-line">
          <code>
            <UserLine text={name} max={100} />
          </code>
          <span className="muted">
            <UserLine text={toText(valueAt(tool, ['function', 'description']))} />
          </span>
        </span>
      </summary>
      {isOpen && (
        <div className="tool">
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
