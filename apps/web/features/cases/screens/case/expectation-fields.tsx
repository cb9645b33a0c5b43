import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Path } from '../../../../ui/form/edited';
import { CheckField, ChoiceField, JsonField } from '../../../../ui/form/fields';
import { useField, useForm } from '../../../../ui/form/json-form';
import { EXPECTATIONS, EXPECTATION_KEYS, expectationOf, withExpectation, type Expectation } from './case-value';

/** Replaces the case; unreadable input at these keys is dropped. */
export type Replace = (input: JsonObject, keys: ReadonlySet<string>) => void;

interface ExpectationProps {
  input: JsonObject;
  names: string[];
  replace: Replace;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** Which calls would be correct. */
export function ExpectationFields({ input, names, replace }: ExpectationProps) {
  const { refusal } = useForm();
  const kind = expectationOf(input);
  const hasCall = kind !== 'none';
  return (
    <fieldset>
      <legend>Expectation</legend>
      <div className="field">
        <label htmlFor="expectation">Expected</label>
        <select
          id="expectation"
          value={kind}
          disabled={refusal !== undefined}
          title={refusal}
          onChange={({ target }) => replace(withExpectation(input, target.value as Expectation), EXPECTATION_KEYS)}
        >
          {EXPECTATIONS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {kind === 'none' && <FieldErrors path={['expected_tool']} />}
      {kind === 'tool' && <ToolField path={['expected_tool']} names={names} />}
      {kind === 'any' && <ToolChoices path={['expected_tool']} names={names} />}
      {(kind === 'tool' || kind === 'any') && <ParamsField path={['expected_params']} />}
      {kind === 'calls' && <Calls input={input} names={names} replace={replace} />}
      {hasCall && (
        <ExtraCalls
          isAllowed={input.allow_extra_calls !== false}
          allow={(isAllowed) => {
            const { allow_extra_calls: _before, ...rest } = input;
            replace(isAllowed ? rest : { ...rest, allow_extra_calls: false }, NO_KEYS);
          }}
        />
      )}
    </fieldset>
  );
}

/** Faults of a part without a field. */
function FieldErrors({ path }: { path: Path }) {
  const { errors } = useField(path);
  return errors.map(({ message }) => (
    <p key={message} className="field-error">
      {message}
    </p>
  ));
}

const ToolField = ({ path, names }: { path: Path; names: string[] }) => (
  <ChoiceField path={path} label="Tool" options={names.map((name) => [name, name] as const)} />
);

const ParamsField = ({ path }: { path: Path }) => (
  <JsonField
    path={path}
    label="Arguments"
    help={
      'Values, or matchers such as {"$one_of": [...]}, {"$regex": "..."}, {"$optional": ...}. {"$literal": ...} ' +
      'matches its content exactly, even if a key begins with $. Empty: arguments are not compared.'
    }
    isOptional
    rows={5}
  />
);

function ToolChoices({ path, names }: { path: Path; names: string[] }) {
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

function Calls({ input, names, replace }: ExpectationProps) {
  const { refusal, edited } = useForm();
  const calls: Json[] = Array.isArray(input.expected_calls) ? input.expected_calls : [];
  const isStuck = refusal ?? (Object.keys(edited.unread).length > 0 ? 'Correct invalid input first.' : undefined);
  const set = (next: Json[]): void => replace({ ...input, expected_calls: next }, EXPECTATION_KEYS);
  return (
    <>
      <ChoiceField
        path={['call_order']}
        label="Order"
        options={[
          ['', 'any'],
          ['strict', 'as listed'],
        ]}
      />
      <FieldErrors path={['expected_calls']} />
      <ol className="calls">
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
  const isAny = isObject(call) && Array.isArray(call.tool);
  return (
    <fieldset>
      <legend>Call {index + 1}</legend>
      {isAny ? (
        <ToolChoices path={[...path, 'tool']} names={names} />
      ) : (
        <ToolField path={[...path, 'tool']} names={names} />
      )}
      <ParamsField path={[...path, 'params']} />
      <div>
        <button type="button" className="dense" disabled={refusal !== undefined} title={refusal} onClick={remove}>
          Remove call
        </button>
      </div>
    </fieldset>
  );
}

const ExtraCalls = ({ isAllowed, allow }: { isAllowed: boolean; allow: (isAllowed: boolean) => void }) => (
  <CheckField path={['allow_extra_calls']} label="Allow extra calls" checked={isAllowed} onChange={allow} />
);
