import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { MAX_TOOLS } from '#lib/contracts/values/suites';
import type { Discovered, McpChoice } from '../../api/mcp';
import { UserText, UserBlock, UserLine } from '../../../../ui/user-text';
import { submitOnCtrlEnter } from '../../../../ui/submit-keys';
import { Warnings } from '../../../../ui/warnings';

/** A server may list thousands; a filter finds the others. */
const MAX_SHOWN = 300;

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
  const [name, setName] = useState('');
  const [options, setOptions] = useState<SuiteOptions>({ use_instructions: false, generate_cases: true });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make({
      tool_names: [...chosen],
      ...(name.trim() && { suite_name: name.trim() }),
      ...options,
    });
  };
  const fault = faultOf(chosen.size);
  return (
    <form className="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter} aria-labelledby={`${id}found`}>
      <h2 id={`${id}found`}>
        <UserText text={server.name} max={200} /> <UserText text={server.version} max={50} /> has {tools.length}{' '}
        {tools.length === 1 ? 'tool' : 'tools'}
      </h2>
      <Warnings warnings={warnings} />
      <ToolChoice tools={tools} chosen={chosen} onChange={setChosen} />
      <div className="field">
        <label htmlFor={`${id}name`}>Suite name</label>
        <input
          id={`${id}name`}
          maxLength={200}
          value={name}
          placeholder={`Tools of ${server.name}`.slice(0, 200)}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <Options {...options} instructions={server.instructions} onChange={setOptions} />
      <div className="actions">
        <button type="submit" className="primary" disabled={isBusy || fault !== undefined}>
          Create a suite of {chosen.size} {chosen.size === 1 ? 'tool' : 'tools'}
        </button>
        {fault && <span className="muted small">{fault}</span>}
        <span role="status">{isBusy ? 'Reading the tools ...' : ''}</span>
      </div>
      {children}
    </form>
  );
}

type SuiteOptions = Pick<McpChoice, 'use_instructions' | 'generate_cases'>;

interface OptionsProps extends SuiteOptions {
  instructions: string | null;
  onChange: (options: SuiteOptions) => void;
}

/** Options of the suite other than its tools. */
function Options({ instructions, onChange, ...options }: OptionsProps) {
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={options.generate_cases}
          onChange={({ target }) => onChange({ ...options, generate_cases: target.checked })}
        />
        Draft a case for each tool
      </label>
      {instructions && (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={options.use_instructions}
              onChange={({ target }) => onChange({ ...options, use_instructions: target.checked })}
            />
            Use the instructions of the server as the system prompt
          </label>
          <details>
            <summary>Server instructions</summary>
            <UserBlock text={instructions} />
          </details>
        </>
      )}
    </>
  );
}

function faultOf(count: number): string | undefined {
  if (count === 0) return 'Choose at least one tool.';
  if (count > MAX_TOOLS) return `A suite can have up to ${MAX_TOOLS} tools. Choose fewer.`;
  return undefined;
}

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
          {chosen.size} of {tools.length} chosen
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
          {MAX_SHOWN} of {found.length} are shown. Filter to see others.
        </p>
      )}
    </fieldset>
  );
}
