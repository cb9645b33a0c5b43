import { useNavigate } from '@tanstack/react-router';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import type { Gate } from '#lib/gate/contract';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { ChooseRun } from '../../runs/parts/choose-run';
import { refreshGates, runGate } from '../api';
import css from '../parts/gates.module.css';

const NO_SETTINGS: JsonObject = { config: {} };

const FIELDS: FormSchema = [
  { longText: 'config.system_prompt', label: 'System prompt', maxLength: MAX_PROMPT_CHARS, rows: 2 },
  [
    { number: 'config.temperature', label: 'Temperature' },
    {
      choice: 'config.tool_choice',
      label: 'Tool choice',
      none: 'as in the baseline',
      options: ['required', 'auto', 'none'].map((one) => [one, one]),
    },
    { number: 'config.budget.max_cost_usd', label: 'Maximum cost in US dollars' },
  ],
];
const AS_JSON: FormSchema = [
  {
    json: 'config',
    label: 'Settings that differ from the baseline',
    help: 'For example {"models": ["openai::gpt-x"], "params": {"top_p": 0.9}}.',
    isOptional: true,
    rows: 4,
  },
];

/** What to measure: a new run with other settings than the baseline, or an existing one. */
export function RunGateForm({ gate: { id, suite_id: suite } }: { gate: Gate }) {
  const navigate = useNavigate();
  return (
    <section aria-labelledby="run-gate" className="section">
      <h2 id="run-gate">Run the gate</h2>
      <p className="muted">Empty settings are taken from the baseline.</p>
      <Form
        name={`run gate ${id}`}
        initial={NO_SETTINGS}
        send={(typed, options) => runGate({ id, input: gateRunRequest(typed) }, options)}
        onDone={({ gate_run_id: gateRunId }) => {
          void refreshGates();
          return navigate({ to: '/gates/$gateId/runs/$gateRunId', params: { gateId: id, gateRunId } });
        }}
        save="Run gate"
        className={`fields ${css.form}`}
      >
        <Fields of={FIELDS} />
        <details>
          <summary>All settings of the run as JSON</summary>
          <Fields of={AS_JSON} />
        </details>
        <details>
          <summary>Measure an existing run instead</summary>
          <ChooseRun
            path="eval_id"
            label="Run to measure"
            help="It gets more samples while they may decide the result. The settings above apply only to a new run."
            suite={suite}
            none="a new run"
          />
        </details>
      </Form>
    </section>
  );
}

/** An existing run already has its settings. An empty limit means none. */
function gateRunRequest(value: Json): JsonObject {
  const { eval_id: runId, config } = isObject(value) ? value : {};
  if (typeof runId === 'string' && runId !== '') return { eval_id: runId };
  const { budget, ...settings } = isObject(config) ? config : {};
  const hasBudget = isObject(budget) && Object.keys(budget).length > 0;
  return { config: { ...settings, ...(hasBudget && { budget }) } };
}
