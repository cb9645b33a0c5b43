import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { MAX_TOOLS } from '#lib/contracts/values/suites';
import { count } from '../../../ui/amounts';
import type { Edited } from '../../../ui/form/edited';
import { JsonForm } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { submitOnCtrlEnter } from '../../../ui/keys';
import { UserBlock, UserLine, UserText } from '../../../ui/user-text';
import { Warnings } from '../../../ui/notices';
import type { Discovered, McpChoice } from '../api';
import { countOf } from './import-results';

interface DiscoveredToolsProps {
  found: Discovered;
  isBusy: boolean;
  make: (choice: McpChoice) => void;
  /** The error message. */
  children: ReactNode;
}

/** The tools of a server, to choose from, and the options of the suite made of them. */
export function DiscoveredTools({ found: { server, tools, warnings }, isBusy, make, children }: DiscoveredToolsProps) {
  const id = useId();
  const [chosen, setChosen] = useState(() => new Set(tools.slice(0, MAX_TOOLS).map(({ name }) => name)));
  const [edited, setEdited] = useState(NO_OPTIONS);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { suite_name: name = '', ...options } = edited.value as unknown as Omit<McpChoice, 'tool_names'>;
    make({ tool_names: [...chosen], ...(name.trim() && { suite_name: name.trim() }), ...options });
  };
  const fault = faultOf(chosen.size);
  return (
    <JsonForm edited={edited} change={setEdited} error={null} refusal={undefined}>
      <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter} aria-labelledby={id}>
        <h2 id={id}>
          <UserText text={server.name} max={200} /> <UserText text={server.version} max={50} /> has{' '}
          {countOf(tools.length, 'tool')}
        </h2>
        <Warnings warnings={warnings} />
        <ToolChoice tools={tools} chosen={chosen} onChange={setChosen} />
        <Fields of={optionsOf(server)} />
        <div className="actions">
          <button type="submit" className="primary" disabled={isBusy || fault !== undefined}>
            Create a suite of {countOf(chosen.size, 'tool')}
          </button>
          {fault && <span className="muted small">{fault}</span>}
          <span role="status">{isBusy ? 'Reading the tools ...' : ''}</span>
        </div>
        {children}
      </form>
    </JsonForm>
  );
}

const NO_OPTIONS: Edited = {
  value: { suite_name: '', use_instructions: false, generate_cases: true },
  unread: {},
};

const optionsOf = ({ name, instructions }: Discovered['server']): FormSchema => [
  { text: 'suite_name', label: 'Suite name', maxLength: 200, placeholder: `Tools of ${name}`.slice(0, 200) },
  { flag: 'generate_cases', label: 'Draft a case for each tool' },
  ...(instructions
    ? ([
        { flag: 'use_instructions', label: 'Use its instructions as the system prompt' },
        <details key="instructions">
          <summary>Server instructions</summary>
          <UserBlock text={instructions} />
        </details>,
      ] satisfies FormSchema)
    : []),
];

function faultOf(count: number): string | undefined {
  if (count === 0) return 'Choose at least one tool.';
  if (count > MAX_TOOLS) return `A suite can have up to ${MAX_TOOLS} tools. Choose fewer.`;
  return undefined;
}

/** A server may list thousands; a filter finds the others. */
const MAX_SHOWN = 300;

interface ToolChoiceProps {
  tools: Discovered['tools'];
  chosen: Set<string>;
  onChange: (chosen: Set<string>) => void;
}

function ToolChoice({ tools, chosen, onChange }: ToolChoiceProps) {
  const id = useId();
  const [filter, setFilter] = useState('');
  const word = filter.trim().toLowerCase();
  const found = tools.filter(({ name, description }) => `${name}\n${description ?? ''}`.toLowerCase().includes(word));
  const choose = (names: string[], isChosen: boolean): void => {
    const next = new Set(chosen);
    for (const name of names)
      if (isChosen) next.add(name);
      else next.delete(name);
    onChange(next);
  };
  const names = found.map(({ name }) => name);
  return (
    <fieldset className="field">
      <legend className="label">Tools</legend>
      <div className="actions">
        <input
          aria-label="Filter the tools"
          placeholder="Filter"
          data-filter
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <button type="button" className="dense" onClick={() => choose(names, true)}>
          Choose {word ? 'matching' : 'all'}
        </button>
        <button type="button" className="dense" onClick={() => choose(names, false)}>
          Choose none{word ? ' of these' : ''}
        </button>
        <span role="status" className="muted small">
          {count(chosen.size)} of {count(tools.length)} chosen
        </span>
      </div>
      <ul className="choices">
        {found.slice(0, MAX_SHOWN).map((tool, index) => (
          <li key={tool.name}>
            <label className="check">
              <input
                type="checkbox"
                checked={chosen.has(tool.name)}
                aria-describedby={`${id}${index}`}
                onChange={({ target }) => choose([tool.name], target.checked)}
              />
              <UserLine text={tool.name} />
            </label>
            <span id={`${id}${index}`} className="muted small">
              <UserLine text={tool.description ?? 'no description'} />
            </span>
          </li>
        ))}
      </ul>
      {found.length > MAX_SHOWN && (
        <p className="muted">
          {count(MAX_SHOWN)} of {count(found.length)} are shown.
        </p>
      )}
    </fieldset>
  );
}
