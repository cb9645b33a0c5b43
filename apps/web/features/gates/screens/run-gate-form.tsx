import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import { stringifyInSourceOrder } from '#lib/contracts/json/key-order';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import type { Gate, GateRunEstimate } from '#lib/gate/contract';
import { count, Money } from '../../../ui/amounts';
import { EstimatedForm } from '../../../ui/form/estimated-form';
import { valueOf, type FormRequest } from '../../../ui/form/form-request';
import type { Edited } from '../../../ui/form/edited';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { ChooseRun } from '../../runs/parts/choose-run';
import { gateRunEstimateQuery, refreshGates, runGate } from '../api';

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
    help: 'A JSON object of run settings, for example of models and params.',
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
      <EstimatedForm
        name={`run gate ${id}`}
        initial={NO_SETTINGS}
        requestOf={gateRunRequest}
        estimateOf={(body) => gateRunEstimateQuery(id, body)}
        figures={(estimate) => <GateRunFigures estimate={estimate} />}
        send={(body, options) => runGate(id, body, options)}
        onDone={({ gate_run_id: gateRunId }) => {
          void refreshGates();
          return navigate({ to: '/gates/$gateId/runs/$gateRunId', params: { gateId: id, gateRunId } });
        }}
        action="Run gate"
      >
        <p className="muted">Empty: as in the baseline.</p>
        <Fields of={FIELDS} />
        <details>
          <summary>All settings as JSON</summary>
          <Fields of={AS_JSON} />
        </details>
        <details>
          <summary>Measure an existing run</summary>
          <ChooseRun
            path="eval_id"
            label="Run to measure"
            help="It gets more samples while they may decide."
            suite={suite}
            none="a new run"
          />
        </details>
      </EstimatedForm>
    </section>
  );
}

/** What it takes at first, and with all looks. */
function GateRunFigures({ estimate: { data } }: { estimate: UseQueryResult<GateRunEstimate> }) {
  const first = data?.first;
  const most = data?.most;
  if (data && !first) return <p className="muted">Samples are added only where they may decide.</p>;
  const figures = (of: { requests: number; cost_usd: number | null } | null | undefined) =>
    of ? (
      <>
        {count(of.requests)} {of.requests === 1 ? 'request' : 'requests'}, <Money usd={of.cost_usd} />
      </>
    ) : (
      '–'
    );
  return (
    <>
      <p>First look: {figures(first)}</p>
      <p>All looks: {figures(most)}</p>
    </>
  );
}

/** An existing run already has its settings. An empty limit means none. */
function gateRunRequest(edited: Edited): FormRequest<string> {
  const request = valueOf<Json>(edited);
  return 'faults' in request ? request : { body: stringifyInSourceOrder(inputOf(request.body)) };
}

function inputOf(value: Json): JsonObject {
  const { eval_id: runId, config } = isObject(value) ? value : {};
  if (typeof runId === 'string' && runId !== '') return { eval_id: runId };
  const { budget, ...settings } = isObject(config) ? config : {};
  const hasBudget = isObject(budget) && Object.keys(budget).length > 0;
  return { config: { ...settings, ...(hasBudget && { budget }) } };
}
