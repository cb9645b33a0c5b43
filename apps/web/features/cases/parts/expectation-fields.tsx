import { useId, useState } from 'react';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { type Path, valueAt } from '../../../ui/form/edited';
import { ChoiceField, FlagField, JsonField } from '../../../ui/form/fields';
import { Faults, useField, useForm } from '../../../ui/form/json-form';
import { UserText } from '../../../ui/user-text';
import { ArgumentFields } from './argument-fields';
import { toolNames, toolsOf } from './argument-rows';
import css from './expectation.module.css';
import { EXPECTATIONS, EXPECTATION_KEYS, expectationOf, withExpectation, type Expectation } from './case-value';

/** The case of the surrounding form, and how to replace it: unreadable input at the given keys is dropped. */
export function useCase() {
  const { edited, change } = useForm();
  const input: JsonObject = isObject(edited.value) ? edited.value : {};
  const replace = (next: JsonObject, keys: ReadonlySet<string>): void => {
    const kept = Object.entries(edited.unread).filter(([at]) => !keys.has(at.split('/')[1] ?? ''));
    change({ value: next, unread: Object.fromEntries(kept) });
  };
  return { input, replace };
}

/** Which calls would be correct, of the case in the surrounding form. @param suiteTools the tools of its suite */
export function ExpectationFields({ suiteTools }: { suiteTools: Json }) {
  const { input, replace } = useCase();
  const kind = expectationOf(input);
  const names = toolNames(input, suiteTools);
  const tools = toolsOf(input, suiteTools);
  return (
    <fieldset>
      <legend>Expectation</legend>
      <div className={css.what}>
        <ChoiceField
          // Not a key of a case: several keys tell what it expects.
          path="expectation"
          label="Expected"
          options={EXPECTATIONS}
          value={kind}
          onChoose={(chosen) => replace(withExpectation(input, chosen as Expectation), EXPECTATION_KEYS)}
        />
        {kind === 'tool' && <ToolField path={['expected_tool']} names={names} />}
      </div>
      {kind === 'none' && <FieldErrors path={['expected_tool']} />}
      {kind === 'any' && <ToolChoices path={['expected_tool']} names={names} />}
      {(kind === 'tool' || kind === 'any') && (
        <ArgumentsOf {...{ tools }} tool={input.expected_tool} path={['expected_params']} rules={RULES_OF_CASE} />
      )}
      {kind === 'calls' && <Calls {...{ names, tools }} />}
      {kind === 'goal' && (
        <JsonField
          path="conversation"
          label="Conversation as JSON"
          help="A state, rules by which tools answer, what the user says then, and the goal. See the guide."
          rows={24}
        />
      )}
      {kind !== 'none' && <FlagField path="allow_extra_calls" label="Allow extra calls" absent isOmitted />}
    </fieldset>
  );
}

interface ToolProps {
  path: Path;
  names: string[];
}

/** Faults of a part without a field. */
const FieldErrors = ({ path }: { path: Path }) => <Faults faults={useField(path).errors} />;

const ToolField = ({ path, names }: ToolProps) => (
  <ChoiceField path={path} label="Tool" options={names.map((name) => [name, name] as const)} />
);

const RULES_OF_CASE: Path = ['scoring_config'];

interface ArgumentsOfProps {
  tools: readonly Json[];
  /** The expected tool, or the accepted ones. */
  tool: Json | undefined;
  path: Path;
  rules: Path;
}

function ArgumentsOf({ tool, ...of }: ArgumentsOfProps) {
  const names = [tool ?? []].flat().map((name) => toText(name));
  return <ArgumentFields key={names.join('\n')} names={names} {...of} />;
}

/** More tools than this have a filter. */
const MANY = 12;

function ToolChoices({ path, names }: ToolProps) {
  const field = useField(path);
  const filterId = useId();
  const [filter, setFilter] = useState('');
  const chosen = Array.isArray(field.value) ? field.value.map((name) => toText(name)) : [];
  const all = [...new Set([...names, ...chosen])];
  const wanted = filter.trim().toLowerCase();
  const shown = all.filter((name) => chosen.includes(name) || name.toLowerCase().includes(wanted));
  const choose = (name: string, isOn: boolean): void =>
    field.set(isOn ? [...chosen, name] : chosen.filter((other) => other !== name));
  return (
    <div className="field" role="group" aria-label="Any of these tools">
      <span className="label">Any of these tools</span>
      {all.length > MANY && (
        <input
          id={filterId}
          type="search"
          aria-label="Filter tools"
          placeholder={`one of ${all.length}`}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && !event.ctrlKey && event.preventDefault()}
        />
      )}
      <ul className="choices">
        {shown.map((name) => (
          <li key={name}>
            <label className="check">
              <input
                type="checkbox"
                disabled={field.refusal !== undefined}
                title={field.refusal}
                checked={chosen.includes(name)}
                onChange={({ target }) => choose(name, target.checked)}
              />
              <code className="given">
                <UserText text={name} max={200} />
              </code>
            </label>
          </li>
        ))}
      </ul>
      <FieldErrors path={path} />
    </div>
  );
}

const ORDERS = [
  ['', 'any'],
  ['strict', 'as listed'],
] as const;

function Calls({ names, tools }: { names: string[]; tools: readonly Json[] }) {
  const { refusal, edited } = useForm();
  const { input, replace } = useCase();
  const calls: Json[] = Array.isArray(input.expected_calls) ? input.expected_calls : [];
  const isStuck = refusal ?? (Object.keys(edited.unread).length > 0 ? 'Correct invalid input first.' : undefined);
  const set = (next: Json[]): void => replace({ ...input, expected_calls: next }, EXPECTATION_KEYS);
  return (
    <>
      <ChoiceField path="call_order" label="Order" options={ORDERS} />
      <FieldErrors path={['expected_calls']} />
      <ol className={css.calls}>
        {calls.map((call, index) => (
          <li key={`${index} of ${calls.length}`}>
            <Call
              call={call}
              index={index}
              {...{ names, tools }}
              refusal={calls.length === 1 ? 'At least one call is required.' : isStuck}
              remove={() => set(calls.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ol>
      <div>
        <button
          type="button"
          disabled={isStuck !== undefined}
          title={isStuck}
          onClick={() => set([...calls, { tool: names[0] ?? '' }])}
        >
          Add call
        </button>
      </div>
    </>
  );
}

interface CallProps {
  call: Json;
  index: number;
  names: string[];
  tools: readonly Json[];
  refusal: string | undefined;
  remove: () => void;
}

function Call({ call, index, names, tools, refusal, remove }: CallProps) {
  const path = ['expected_calls', index];
  const tool = valueAt(call, ['tool']);
  // The rules of a call replace those of the case.
  const rules = valueAt(call, ['scoring_config']) == null ? RULES_OF_CASE : [...path, 'scoring_config'];
  const Tools = isObject(call) && Array.isArray(call.tool) ? ToolChoices : ToolField;
  return (
    <fieldset>
      <legend>Call {index + 1}</legend>
      <Tools path={[...path, 'tool']} names={names} />
      <ArgumentsOf {...{ tools, tool, rules }} path={[...path, 'params']} />
      <div>
        <button type="button" className="dense" disabled={refusal !== undefined} title={refusal} onClick={remove}>
          Remove call
        </button>
      </div>
    </fieldset>
  );
}
