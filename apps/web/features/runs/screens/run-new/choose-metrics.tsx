import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { metricsQuery } from '../../api/metrics';
import { ErrorNotice } from '../../../../ui/error-notice';
import { UserText } from '../../../../ui/user-text';
import { Faults, LabelledField, type FormPart } from '../../../../ui/form/labelled-field';
import { TypedField } from '../../../../ui/form/typed-field';
import { MetricOptions } from './metric-options';
import type { NewRun } from './new-run';
import type { ChosenMetric } from './run-metrics';

/** Metrics in addition to the house score, each with its options. The same metric may be used twice under two names. */
export function ChooseMetrics({ form: { metrics }, change, faultsAt }: FormPart<NewRun>) {
  const { data, error, refetch } = useQuery(metricsQuery);
  const [next, setNext] = useState('');
  const set = (index: number, metric: ChosenMetric): void => change({ metrics: metrics.with(index, metric) });
  const known = data?.items.filter(({ not_in_runs: why }) => why === undefined) ?? [];
  return (
    <fieldset>
      <legend>Additional metrics</legend>
      {error && <ErrorNotice error={error} retry={() => refetch()} />}
      <Faults faults={faultsAt('/metrics').filter(({ path }) => path === '/metrics')} />
      {metrics.map((metric, index) => (
        <fieldset key={`${index} of ${metrics.length}`}>
          <legend>
            <code>
              <UserText text={metric.id} max={200} />
            </code>
          </legend>
          <Metric
            metric={metric}
            info={known.find(({ id }) => id === metric.id)}
            change={(changed) => set(index, { ...metric, ...changed })}
            faultsAt={(path) => faultsAt(`/metrics/${index}${path}`)}
          />
          <div className="actions">
            <button type="button" className="dense" onClick={() => change({ metrics: metrics.toSpliced(index, 1) })}>
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
            <button
              type="button"
              disabled={next === ''}
              onClick={() => {
                change({ metrics: [...metrics, { id: next, as: '', options: {} }] });
                setNext('');
              }}
            >
              Add
            </button>
          </div>
        )}
      </LabelledField>
    </fieldset>
  );
}

interface MetricProps {
  metric: ChosenMetric;
  info: { meaning: string; options: object } | undefined;
  change: (metric: Partial<ChosenMetric>) => void;
  faultsAt: FormPart<NewRun>['faultsAt'];
}

function Metric({ metric, info, change, faultsAt }: MetricProps) {
  const isOfField = ({ path }: { path: string }): boolean => /^\/metrics\/\d+\/(options\/|as$)/.test(path);
  return (
    <>
      {info && <p className="muted small">{info.meaning}</p>}
      <Faults faults={faultsAt('').filter((fault) => !isOfField(fault))} />
      {info && (
        <MetricOptions
          schema={info.options as never}
          options={metric.options}
          change={(options) => change({ options })}
          faultsAt={(name) => faultsAt(`/options/${name}`)}
        />
      )}
      <TypedField
        label="Score name"
        help="Empty: its id. A metric can be added twice under different names."
        faults={faultsAt('/as')}
        maxLength={64}
        value={metric.as}
        change={(as) => change({ as })}
      />
    </>
  );
}
