import { useState } from 'react';
import { isObject } from '#lib/contracts/json/json';
import type { Path } from '../../../ui/form/edited';
import { ChoiceField, NumberField } from '../../../ui/form/fields';
import { useField } from '../../../ui/form/json-form';
import { ruleOptions } from '../parts/rule-words';
import css from './case.module.css';

const DEFAULTS = [
  ['', 'count as the default that the tool declares'],
  ['equal', 'count as the default that the tool declares (explicit)'],
  ['strict', 'count as missing'],
] as const;

/** How expected arguments are compared with those of the call. */
export function RuleFields() {
  const config = useField('scoring_config');
  const [isOpen, setOpen] = useState(config.value != null);
  return (
    <fieldset>
      <legend>Comparison of arguments</legend>
      <ChoiceField path="param_scoring" label="Rule" options={ruleOptions('exact (default)')} />
      <details open={isOpen || config.errors.length > 0} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Settings and rules for single arguments</summary>
        <div className={css.rule}>
          <Rule path={['scoring_config']} empty="the rule above" />
          <ChoiceField path="scoring_config.defaults" label="Missing arguments" options={DEFAULTS} />
          <ArgumentRules />
        </div>
      </details>
    </fieldset>
  );
}

const Rule = ({ path, empty }: { path: Path; empty: string }) => (
  <div className="in-row">
    <ChoiceField path={[...path, 'mode']} label="Rule override" options={ruleOptions(empty)} />
    <NumberField path={[...path, 'epsilon']} label="Tolerance" help="Empty: 0.01." />
    <NumberField path={[...path, 'threshold']} label="Similarity" help="Empty: 0.8, or 0.85 for meaning." />
  </div>
);

function ArgumentRules() {
  const params = useField('scoring_config.params');
  const [name, setName] = useState('');
  const rules = isObject(params.value) ? params.value : {};
  const add = (): void => {
    params.set({ ...rules, [name]: { mode: 'exact' } });
    setName('');
  };
  const remove = (gone: string): void => {
    const rest = Object.entries(rules).filter(([one]) => one !== gone);
    params.set(rest.length > 0 ? Object.fromEntries(rest) : undefined);
  };
  return (
    <>
      {Object.keys(rules).map((one) => (
        <fieldset key={one}>
          <legend>
            <code className="given">{one}</code>
          </legend>
          <Rule path={['scoring_config', 'params', one]} empty="the general rule" />
          <div>
            <button
              type="button"
              className="dense"
              disabled={params.refusal !== undefined}
              title={params.refusal}
              onClick={() => remove(one)}
            >
              Remove rule
            </button>
          </div>
        </fieldset>
      ))}
      <div className="actions">
        <label htmlFor="rule-for">Argument</label>
        <input
          id="rule-for"
          type="text"
          autoComplete="off"
          maxLength={200}
          readOnly={params.refusal !== undefined}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <button
          type="button"
          disabled={params.refusal !== undefined || name === '' || Object.hasOwn(rules, name)}
          title={params.refusal}
          onClick={add}
        >
          Add rule
        </button>
      </div>
    </>
  );
}
