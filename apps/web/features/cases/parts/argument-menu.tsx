import { useId } from 'react';
import { isObject, toText } from '#lib/contracts/json/json';
import { edit, type Edited, type Path, valueAt } from '../../../ui/form/edited';
import { ChoiceField, NumberField } from '../../../ui/form/fields';
import { useField, useForm } from '../../../ui/form/json-form';
import { ChevronDown, Icon } from '../../../ui/icons';
import { usePopover } from '../../../ui/popover';
import { UNCHECKED, withMatch, type Expected, type Match } from './expected-value';
import css from './expectation.module.css';
import { RULES, ruleOptions } from './rule-words';
import type { ArgumentKind } from './argument-rows';

const MATCHES: Record<Match, string> = {
  equal: 'equals',
  one_of: 'one of',
  contains: 'contains',
  regex: 'matches',
  approx: 'about',
  any: 'any value',
  absent: 'left out',
  literal: 'literally',
  json: 'JSON',
};

const NUMBERS: readonly Match[] = ['equal', 'one_of', 'approx', 'any', 'absent'];
const VALUES: readonly Match[] = ['equal', 'one_of', 'any', 'absent', 'literal'];
/** The matches that make sense for a kind of value. */
const OFFERED: Record<ArgumentKind, readonly Match[]> = {
  text: ['equal', 'one_of', 'contains', 'regex', 'any', 'absent'],
  number: NUMBERS,
  numbers: VALUES,
  texts: VALUES,
  boolean: ['equal', 'any', 'absent'],
  choice: ['equal', 'one_of', 'any', 'absent'],
  json: VALUES,
  free: ['equal', 'one_of', 'contains', 'regex', 'approx', 'any', 'absent', 'literal'],
};

interface Props {
  name: string;
  kind: ArgumentKind;
  expected: Expected;
  set: (expected: Expected) => void;
  /** Where the rules of arguments are. */
  rules: Path;
  refusal: string | undefined;
}

/** How an argument is compared: a button that says it, and opens what can be chosen. */
export function ArgumentMenu({ name, kind, expected, set, rules, refusal }: Props) {
  const { isOpen, button, panel } = usePopover<HTMLDivElement>();
  const mode = useField([...rules, 'params', name, 'mode']);
  const rule = toText(mode.value ?? '');
  const isUsual = expected.match === 'equal' && !expected.isOptional && rule === '';
  const words = [
    MATCHES[expected.match],
    rule && (Object.hasOwn(RULES, rule) ? RULES[rule as keyof typeof RULES] : rule),
    expected.isOptional && 'or left out',
  ];
  const shown = words.filter(Boolean).join(', ');
  return (
    <>
      <button
        {...button}
        className={isUsual ? `plain muted ${css.how}` : `plain ${css.how}`}
        aria-label={`${shown}: how ${name.slice(0, 100)} is compared`}
      >
        <span>{shown}</span>
        <Icon of={ChevronDown} />
      </button>
      <div
        {...panel}
        role="group"
        aria-label={`How ${name.slice(0, 100)} is compared`}
        className={`popover ${css.menu}`}
      >
        {isOpen && (
          <>
            <MatchField {...{ kind, expected, set, refusal }} />
            <RuleField name={name} rules={rules} />
            {expected.match !== 'absent' && expected.match !== 'json' && (
              <label className="check">
                <input
                  type="checkbox"
                  disabled={refusal !== undefined}
                  checked={expected.isOptional}
                  onChange={({ target }) => set({ ...expected, isOptional: target.checked })}
                />
                May be left out
              </label>
            )}
          </>
        )}
      </div>
    </>
  );
}

type MatchProps = Pick<Props, 'kind' | 'expected' | 'set' | 'refusal'>;

function MatchField({ kind, expected, set, refusal }: MatchProps) {
  const { match, value } = expected;
  const id = useId();
  const offered = OFFERED[kind].includes(match) ? OFFERED[kind] : [...OFFERED[kind], match];
  const choose = (chosen: string): void => {
    if (chosen === 'unchecked') set(UNCHECKED);
    else if (chosen === 'empty') set({ ...UNCHECKED, value: '' });
    else if (chosen === 'null') set({ ...UNCHECKED, value: null });
    else set(withMatch(expected, chosen as Match));
  };
  const current = match !== 'equal' || (value !== '' && value !== null) ? match : value === '' ? 'empty' : 'null';
  return (
    <div className="field">
      <label htmlFor={id}>Match</label>
      <select id={id} disabled={refusal !== undefined} value={current} onChange={({ target }) => choose(target.value)}>
        {value !== undefined && <option value="unchecked">not checked</option>}
        {offered.map((one) => (
          <option key={one} value={one}>
            {MATCHES[one]}
          </option>
        ))}
        {(kind === 'text' || kind === 'free') && <option value="empty">empty text</option>}
        <option value="null">null</option>
      </select>
    </div>
  );
}

/** The rule of one argument; without one, that of the case applies. */
function RuleField({ name, rules }: Pick<Props, 'name' | 'rules'>) {
  const { edited, change } = useForm();
  const path = [...rules, 'params', name];
  const mode = toText(useField([...path, 'mode']).value ?? '');
  return (
    <>
      <ChoiceField
        path={[...path, 'mode']}
        label="Rule"
        options={ruleOptions('as the case')}
        onChoose={(chosen) =>
          change(chosen === '' ? withoutRule(edited, rules, name) : edit(edited, [...path, 'mode'], chosen))
        }
      />
      {mode === 'numeric_tolerance' && (
        <NumberField path={[...path, 'epsilon']} label="Tolerance" help="Empty: 0.01." />
      )}
      {(mode === 'fuzzy' || mode === 'semantic') && (
        <NumberField
          path={[...path, 'threshold']}
          label="Similarity"
          help={mode === 'fuzzy' ? 'Empty: 0.8.' : 'Empty: 0.85.'}
        />
      )}
    </>
  );
}

/** Removes a rule, and what is empty without it. */
function withoutRule(edited: Edited, rules: Path, name: string): Edited {
  const isEmpty = (path: Path): boolean => {
    const value = valueAt(next.value, path);
    return isObject(value) && Object.keys(value).length === 0;
  };
  let next = edit(edited, [...rules, 'params', name], undefined);
  if (isEmpty([...rules, 'params'])) next = edit(next, [...rules, 'params'], undefined);
  if (isEmpty(rules)) next = edit(next, rules, undefined);
  return next;
}
