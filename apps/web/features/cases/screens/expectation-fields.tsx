import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Path } from '../../../ui/form/edited';
import { ChoiceField, FlagField, JsonField } from '../../../ui/form/fields';
import { Faults, useField, useForm } from '../../../ui/form/json-form';
import { Note } from '../../../ui/hint';
import css from './case.module.css';
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

/** Which calls would be correct. @param names of the tools to choose from */
export function ExpectationFields({ names }: { names: string[] }) {
  const { input, replace } = useCase();
  const kind = expectationOf(input);
  return (
    <fieldset>
      <legend>Expectation</legend>
      <ChoiceField
        // Not a key of a case: several keys tell what it expects.
        path="expectation"
        label="Expected"
        options={EXPECTATIONS}
        value={kind}
        onChoose={(chosen) => replace(withExpectation(input, chosen as Expectation), EXPECTATION_KEYS)}
      />
      {kind === 'none' && <FieldErrors path={['expected_tool']} />}
      {kind === 'tool' && <ToolField path={['expected_tool']} names={names} />}
      {kind === 'any' && <ToolChoices path={['expected_tool']} names={names} />}
      {(kind === 'tool' || kind === 'any') && <ParamsField path={['expected_params']} />}
      {kind === 'calls' && <Calls names={names} />}
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

const ParamsField = ({ path }: { path: Path }) => (
  <JsonField
    path={path}
    label="Arguments"
    help={
      <Note of="Values or matchers">
        Matchers are $one_of, $regex, $optional and others; $literal matches its content exactly. Without arguments,
        only the tool is compared.
      </Note>
    }
    isOptional
    rows={5}
  />
);

function ToolChoices({ path, names }: ToolProps) {
  const field = useField(path);
  const chosen = Array.isArray(field.value) ? field.value.map((name) => toText(name)) : [];
  const all = [...new Set([...names, ...chosen])];
  const choose = (name: string, isOn: boolean): void =>
    field.set(isOn ? [...chosen, name] : chosen.filter((other) => other !== name));
  return (
    <div className="field" role="group" aria-label="Any of these tools">
      <span className="label">Any of these tools</span>
      <ul className="choices">
        {all.map((name) => (
          <li key={name}>
            <label className="check">
              <input
                type="checkbox"
                disabled={field.refusal !== undefined}
                title={field.refusal}
                checked={chosen.includes(name)}
                onChange={({ target }) => choose(name, target.checked)}
              />
              <code className="given">{name}</code>
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

function Calls({ names }: { names: string[] }) {
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
              names={names}
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
  refusal: string | undefined;
  remove: () => void;
}

function Call({ call, index, names, refusal, remove }: CallProps) {
  const path = ['expected_calls', index];
  const Tools = isObject(call) && Array.isArray(call.tool) ? ToolChoices : ToolField;
  return (
    <fieldset>
      <legend>Call {index + 1}</legend>
      <Tools path={[...path, 'tool']} names={names} />
      <ParamsField path={[...path, 'params']} />
      <div>
        <button type="button" className="dense" disabled={refusal !== undefined} title={refusal} onClick={remove}>
          Remove call
        </button>
      </div>
    </fieldset>
  );
}
