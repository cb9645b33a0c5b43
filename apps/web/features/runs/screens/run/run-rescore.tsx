import { useId, useState } from 'react';
import type { Run } from '#lib/contracts/run';
import { useAction } from '../../../../api/action';
import { refreshWork } from '../../../../api/refresh';
import { rescoreRun } from '../../api/rescores';
import { FormDialog } from '../../../../ui/dialog';
import { rescoreOf, RULES, UNCHANGED, type RescoreValue } from './rescore-value';

const MAX_METRICS = 20_000;

/** Scores the stored replies again, under other settings. No model is called, and nothing is paid. */
export function RunRescore({ run, close }: { run: Run; close: () => void }) {
  const [value, setValue] = useState(UNCHANGED);
  const submit = useAction(rescoreRun, async () => {
    close();
    await refreshWork(run.id);
  });
  const asked = rescoreOf(value);
  const send = (): void => {
    if ('body' in asked && !submit.isPending) submit.mutate({ runId: run.id, body: asked.body });
  };
  return (
    <FormDialog
      title="Rescore this run"
      action="Rescore"
      isDisabled={'fault' in asked}
      sending={submit}
      send={send}
      close={close}
    >
      <p>
        The stored replies are scored again, without model requests or cost. The run also keeps its original verdicts.
      </p>
      <Fields value={value} change={(change) => setValue({ ...value, ...change })} />
      {'fault' in asked && <p className="field-error">{asked.fault}</p>}
    </FormDialog>
  );
}

interface FieldsProps {
  value: RescoreValue;
  change: (change: Partial<RescoreValue>) => void;
}

function Fields({ value, change }: FieldsProps) {
  const id = useId();
  const number = (key: 'threshold' | 'epsilon' | 'similarity', label: string) => (
    <div className="field">
      <label htmlFor={`${id}-${key}`}>{label}</label>
      <input
        id={`${id}-${key}`}
        inputMode="decimal"
        size={8}
        maxLength={20}
        value={value[key]}
        onChange={({ target }) => change({ [key]: target.value })}
      />
    </div>
  );
  return (
    <>
      {number('threshold', 'Pass threshold, 0 to 1; empty for the threshold of the suite')}
      <div className="field">
        <label htmlFor={`${id}-rule`}>Argument comparison</label>
        <select id={`${id}-rule`} value={value.rule} onChange={({ target }) => change({ rule: target.value })}>
          <option value="">as set in each case</option>
          {RULES.map((rule) => (
            <option key={rule} value={rule}>
              {rule.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </div>
      {value.rule === 'numeric_tolerance' && number('epsilon', 'Maximum difference of numbers; empty for 0.01')}
      {(value.rule === 'fuzzy' || value.rule === 'semantic') &&
        number('similarity', 'Minimum similarity of texts, 0 to 1; empty for the default')}
      <div className="field">
        <label htmlFor={`${id}-metrics`}>Metrics as a JSON list; empty for the metrics of the run</label>
        <textarea
          id={`${id}-metrics`}
          className="code"
          rows={3}
          maxLength={MAX_METRICS}
          spellCheck={false}
          placeholder={'[{"id": "ragas_tool_call_f1"}]'}
          value={value.metrics}
          onChange={({ target }) => change({ metrics: target.value })}
        />
      </div>
    </>
  );
}
