import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isObject, toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { ErrorNotice } from '../../../../ui/notices';
import type { Path } from '../../../../ui/form/edited';
import { ChoiceField, JsonTextField, NumberField, TextField } from '../../../../ui/form/fields';
import { Faults, LabelledField, useField } from '../../../../ui/form/json-form';
import { UserText } from '../../../../ui/user-text';
import { metricsQuery } from '../../api';
import { optionKind } from './run-metrics';

/** Metrics in addition to the house score, each with its options. The same metric may be used twice under two names. */
export function ChooseMetrics() {
  const { value, errors, refusal, set } = useField('metrics');
  const { data, error, refetch } = useQuery(metricsQuery);
  const [next, setNext] = useState('');
  const metrics = Array.isArray(value) ? value.filter(isObject) : [];
  const known = data?.items.filter(({ not_in_runs: why }) => why === undefined) ?? [];
  const add = (): void => {
    set([...metrics, { id: next, options: {} }]);
    setNext('');
  };
  return (
    <fieldset>
      <legend>Additional metrics</legend>
      {error && <ErrorNotice error={error} retry={() => refetch()} />}
      <Faults faults={errors.filter(({ path }) => path === '')} />
      {metrics.map(({ id }, index) => (
        <fieldset key={`${index} of ${metrics.length}`}>
          <legend>
            <code>
              <UserText text={toText(id)} max={200} />
            </code>
          </legend>
          <Metric path={['metrics', index]} info={known.find((metric) => metric.id === id)} />
          <div className="actions">
            <button type="button" className="dense" onClick={() => set(metrics.toSpliced(index, 1))}>
              Remove
            </button>
          </div>
        </fieldset>
      ))}
      <LabelledField label="Metric to add" help="The house score is always computed." faults={[]}>
        {(attributes) => (
          <div className="actions">
            <select {...attributes} className="bounded" value={next} onChange={({ target }) => setNext(target.value)}>
              <option value="">choose</option>
              {known.map(({ id }) => (
                <option key={id} value={id}>
                  {id}
                </option>
              ))}
            </select>
            <button type="button" disabled={next === '' || refusal !== undefined} onClick={add}>
              Add
            </button>
          </div>
        )}
      </LabelledField>
    </fieldset>
  );
}

function Metric({ path, info }: { path: Path; info: { meaning: string; options: object } | undefined }) {
  const { errors } = useField(path);
  return (
    <>
      {info && <p className="muted small">{info.meaning}</p>}
      <Faults faults={errors.filter((error) => !/^\/(options\/|as$)/.test(error.path))} />
      {info && <MetricOptions path={[...path, 'options']} schema={info.options as JsonObject} />}
      <TextField
        path={[...path, 'as']}
        label="Score name"
        help="Empty: its id. A metric can be added twice under different names."
        maxLength={64}
      />
    </>
  );
}

/** The options of a metric, each with the control for its schema. An unset option has its default. */
const MetricOptions = ({ path, schema: { properties } }: { path: Path; schema: JsonObject }) =>
  Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => (
    <Option key={name} path={[...path, name]} name={name} schema={isObject(schema) ? schema : {}} />
  ));

function Option({ path, name, schema }: { path: Path; name: string; schema: JsonObject }) {
  const { set } = useField(path);
  const of = optionKind(schema);
  const help = toText(schema.description);
  const labelled = { path, label: name, help };
  const none = `default: ${toText(schema.default ?? 'none')}`;
  if (of.kind === 'several') return <Several {...labelled} values={of.values} otherwise={schema.default} />;
  if (of.kind === 'number') return <NumberField {...labelled} help={`${help} (${none})`} />;
  if (of.kind === 'json') return <JsonTextField {...labelled} label={`${name}, as JSON`} rows={2} isTextToo />;
  if (of.kind === 'choice')
    return <ChoiceField {...labelled} none={none} options={of.values.map((one) => [one, one])} />;
  return (
    <ChoiceField
      {...labelled}
      none={none}
      options={[
        ['true', 'true'],
        ['false', 'false'],
      ]}
      onChoose={(chosen) => set(chosen === '' ? undefined : chosen === 'true')}
    />
  );
}

interface SeveralProps {
  path: Path;
  label: string;
  help: string;
  values: string[];
  /** What is chosen if nothing is. */
  otherwise: Json | undefined;
}

function Several({ path, label, help, values, otherwise }: SeveralProps) {
  const { value = otherwise, errors, refusal, set } = useField(path);
  const list = Array.isArray(value) ? value.map((one) => toText(one)) : [];
  const choose = (one: string, isOn: boolean): void => {
    const next = values.filter((other) => (other === one ? isOn : list.includes(other)));
    set(next.length > 0 ? next : undefined);
  };
  return (
    <div className="field" role="group" aria-label={label}>
      <span className="label">{label}</span>
      {values.map((one) => (
        <label key={one} className="check">
          <input
            type="checkbox"
            disabled={refusal !== undefined}
            checked={list.includes(one)}
            onChange={({ target }) => choose(one, target.checked)}
          />
          {one}
        </label>
      ))}
      <div className="small">
        <div className="muted">
          <UserText text={help} />
        </div>
        <Faults faults={errors} />
      </div>
    </div>
  );
}
