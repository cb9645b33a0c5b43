import { useState } from 'react';
import { isObject, type Json } from '#lib/contracts/json/json';
import { edit, errorsAt, pointerOf, type Path, valueAt } from '../../../ui/form/edited';
import { JsonField } from '../../../ui/form/fields';
import { Faults, useField, useForm } from '../../../ui/form/json-form';
import { Note } from '../../../ui/hint';
import { count } from '../../../ui/amounts';
import { cutInMiddle } from '../../../ui/figures/cut';
import { UserText, visible } from '../../../ui/user-text';
import { ArgumentMenu } from './argument-menu';
import { argumentRows, kindFor, type ArgumentKind, type ArgumentRow } from './argument-rows';
import { AnyOfChoices, ArgumentValue } from './argument-value';
import css from './expectation.module.css';
import { readExpected, UNCHECKED, writeExpected, type Expected } from './expected-value';

interface Props {
  /** Where the expected arguments are. */
  path: Path;
  /** Where the rules of single arguments are. */
  rules: Path;
  /** Definitions of tools. */
  tools: readonly Json[];
  /** The tools that the call may be of. */
  names: readonly string[];
}

/** Up to so many arguments are all shown; of more, those that matter. */
const FEW = 12;

/** The expected arguments of a call: a row for each argument of its tool, or their JSON. */
export function ArgumentFields({ path, rules, tools, names }: Props) {
  const { edited, errors } = useForm();
  const value = valueAt(edited.value, path);
  const rows = argumentRows(tools, names, value);
  const [wantsJson, setJson] = useState(rows.length === 0);
  // Rows cannot show what is not an object, or not JSON yet.
  const mustBeJson = pointerOf(path) in edited.unread || (value != null && !isObject(value));
  const isJson = mustBeJson || wantsJson;
  const placed = new Set(rows.map(({ name }) => pointerOf([...path, name])));
  const unplaced = errorsAt(errors, pointerOf(path)).filter(
    ({ path: within }) => !placed.has(`${pointerOf(path)}/${within.split('/')[1] ?? ''}`),
  );
  return (
    <div className={css.arguments}>
      <div className={css.argumentsHead}>
        <span className={isJson ? 'unseen' : 'label'}>Arguments</span>
        {isJson && <MatcherNote />}
        {rows.length > 0 && (
          <button
            type="button"
            className="plain dense"
            aria-pressed={isJson}
            disabled={mustBeJson}
            onClick={() => setJson(!wantsJson)}
          >
            JSON
          </button>
        )}
      </div>
      {isJson ? (
        <JsonField path={path} label="Arguments" isOptional rows={5} />
      ) : (
        <>
          <Faults faults={unplaced} isWithin />
          <Rows {...{ path, rules, rows }} />
        </>
      )}
    </div>
  );
}

const MatcherNote = () => (
  <Note of="Values or matchers">
    Matchers are $one_of, $regex, $optional and others; $literal matches its content exactly. Without arguments, only
    the tool is compared.
  </Note>
);

function Rows({ path, rules, rows }: { path: Path; rules: Path; rows: readonly ArgumentRow[] }) {
  const { edited, errors } = useForm();
  const isSet = ({ name }: ArgumentRow): boolean => {
    const pointer = pointerOf([...path, name]);
    return (
      valueAt(edited.value, [...path, name]) !== undefined ||
      pointer in edited.unread ||
      errorsAt(errors, pointer).length > 0
    );
  };
  const [first] = useState(() => new Set(rows.filter(isSet).map(({ name }) => name)));
  const [isWhole, setWhole] = useState(rows.length <= FEW);
  const shown = isWhole ? rows : rows.filter((row) => row.isRequired || first.has(row.name) || isSet(row));
  return (
    <>
      <ul className={css.rows}>
        {shown.map((row) => (
          <li key={row.name}>
            <ArgumentField argument={row} path={path} rules={rules} />
          </li>
        ))}
      </ul>
      {shown.length < rows.length && (
        <div>
          <button type="button" className="dense" onClick={() => setWhole(true)}>
            {count(rows.length - shown.length)} more
          </button>
        </div>
      )}
    </>
  );
}

const MAX_NAME = 48;

/** One argument: its name, how it is compared, and with what. */
function ArgumentField({ argument, path, rules }: { argument: ArgumentRow; path: Path; rules: Path }) {
  const { name, isRequired, isKnown, type, description } = argument;
  const { edited, change } = useForm();
  const field = useField([...path, name]);
  const ofRule = useField([...rules, 'params', name]);
  // How an argument is compared that has no value yet.
  const [next, setNext] = useState(UNCHECKED);
  const expected = field.value === undefined ? { ...next, value: undefined } : readExpected(field.value);
  const set = (changed: Expected): void => {
    setNext(changed);
    const written = writeExpected(changed);
    const all = valueAt(edited.value, path);
    const isLast = isObject(all) && Object.keys(all).length === 1 && Object.hasOwn(all, name);
    // Without arguments, none are compared.
    if (written === undefined && isLast) change(edit(edited, path, undefined));
    else field.set(written);
  };
  const shownName = visible(name);
  return (
    <div className={css.argument} title={description.slice(0, 500) || undefined}>
      <div className={css.name}>
        <label htmlFor={field.id} title={shownName}>
          <code>
            <UserText text={cutInMiddle(name, MAX_NAME)} />
          </code>
        </label>
        {isRequired && (
          <span className={css.required} title="required">
            *<span className="unseen">required</span>
          </span>
        )}
        <span className="muted small" title={type}>
          {isKnown ? <UserText text={type} max={60} /> : 'not in the schema'}
        </span>
      </div>
      <ArgumentMenu {...{ name, expected, set, rules }} kind={argument.kind} refusal={field.refusal} />
      <div className={css.value}>
        <ValueOf
          {...{ argument, expected, set }}
          path={path}
          label={shownName}
          key={expected.match}
          id={field.id}
          isInvalid={field.errors.length > 0 || field.unread !== undefined}
        />
        <div id={`${field.id}-notes`} className="small">
          {field.unread !== undefined && <div className="field-error">{NOT_YET[kindOf(argument, expected)]}</div>}
          <Faults faults={field.errors} isWithin />
          <Faults faults={ofRule.errors} isWithin />
        </div>
      </div>
    </div>
  );
}

const NOT_YET: Partial<Record<ArgumentKind, string>> = {
  number: 'This is not a number.',
  numbers: 'A line is not a number.',
  json: 'This is not JSON yet.',
  free: 'This is not JSON yet.',
};

/** The kind of field that an expected value is typed in. */
function kindOf({ kind, choices }: ArgumentRow, { match, value }: Expected): ArgumentKind {
  if (match === 'equal') return kindFor(kind, value);
  if (match === 'contains' || match === 'regex') return 'text';
  if (match === 'approx') return 'number';
  if (match !== 'one_of') return 'json';
  if (choices.length > 0) return 'choice';
  const list = kind === 'text' ? 'texts' : kind === 'number' ? 'numbers' : 'json';
  return kindFor(list, value) === list ? list : 'json';
}

interface ValueOfProps {
  argument: ArgumentRow;
  path: Path;
  expected: Expected;
  set: (expected: Expected) => void;
  label: string;
  id: string;
  isInvalid: boolean;
}

function ValueOf({ argument, path, expected, set, label, id, isInvalid }: ValueOfProps) {
  const { name, choices } = argument;
  const { match, value, epsilon } = expected;
  const { unread, setUnread, refusal } = useField([...path, name]);
  const ofEpsilon = useField([...path, name, '$epsilon']);
  const kind = kindOf(argument, expected);
  const isReadOnly = refusal !== undefined;
  const attributes = {
    'aria-describedby': `${id}-notes`,
    'aria-invalid': isInvalid || undefined,
    title: refusal,
    placeholder: 'not checked',
  };
  if (match === 'any' || match === 'absent') return null;
  if (match === 'one_of' && kind === 'choice')
    return (
      <AnyOfChoices {...{ label, choices, value, isReadOnly }} set={(next) => set({ ...expected, value: next })} />
    );
  const setValue = (next: Json | undefined): void => set({ ...expected, value: next });
  return (
    <div className={css.inputs}>
      <ArgumentValue
        {...{ kind, value, choices, isReadOnly, unread, setUnread }}
        set={setValue}
        attributes={{ ...attributes, id, 'aria-label': label }}
      />
      {match === 'approx' && (
        <>
          ±
          <ArgumentValue
            kind="number"
            value={epsilon}
            unread={ofEpsilon.unread}
            isReadOnly={isReadOnly}
            set={(next) => set({ ...expected, epsilon: next })}
            setUnread={ofEpsilon.setUnread}
            attributes={{
              ...attributes,
              id: `${id}-epsilon`,
              'aria-label': `Tolerance of ${label}`,
              placeholder: '0.01',
            }}
          />
        </>
      )}
    </div>
  );
}
