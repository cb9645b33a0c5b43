import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isObject, type Json, type JsonObject } from '#lib/contracts/json/json';
import type { Gate } from '#lib/gate/contract';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { useAction } from '../../../api/action';
import { refreshGates, runGate } from '../api';
import { useRefusal } from '../../../api/session';
import { useDraft } from '../../../ui/draft';
import { DraftForm } from '../../../ui/form/draft-form';
import type { Edited } from '../../../ui/form/edited';
import { ChoiceField, JsonField, LongTextField, NumberField } from '../../../ui/form/fields';
import { ChooseRun } from '../../runs/parts/choose-run';

const NO_SETTINGS: JsonObject = { config: {} };

/** What to measure: a new run with other settings than the baseline, or an existing one. */
export function RunGateForm({ gate }: { gate: Gate }) {
  const navigate = useNavigate();
  const refusal = useRefusal('editor');
  const initial = useMemo<Edited>(() => ({ value: NO_SETTINGS, unread: {} }), []);
  const draft = useDraft(`run gate ${gate.id}`, initial);
  const run = useAction(
    (input: Json, options) => runGate({ id: gate.id, input: gateRunRequest(input) }, options),
    async ({ gate_run_id: gateRunId }) => {
      draft.clear();
      void refreshGates();
      await navigate({ to: '/gates/$gateId/runs/$gateRunId', params: { gateId: gate.id, gateRunId } });
    },
  );
  const send = (): void => {
    if (Object.keys(draft.value.unread).length === 0) run.mutate(draft.value.value);
  };
  return (
    <section aria-labelledby="run-gate" className="section">
      <h2 id="run-gate">Run the gate</h2>
      <p className="muted">Empty settings are taken from the baseline.</p>
      <DraftForm {...{ draft, refusal, send }} saving={run} save="Run gate" className="fields gate-form">
        <RunGateFields gate={gate} />
      </DraftForm>
    </section>
  );
}

function RunGateFields({ gate }: { gate: Gate }) {
  return (
    <>
      <LongTextField path={['config', 'system_prompt']} label="System prompt" maxLength={MAX_PROMPT_CHARS} rows={2} />
      <div className="in-row">
        <NumberField path={['config', 'temperature']} label="Temperature" />
        <ChoiceField
          path={['config', 'tool_choice']}
          label="Tool choice"
          options={[
            ['', 'as in the baseline'],
            ['required', 'required'],
            ['auto', 'auto'],
            ['none', 'none'],
          ]}
        />
        <NumberField path={['config', 'budget', 'max_cost_usd']} label="Maximum cost in US dollars" />
      </div>
      <details>
        <summary>All settings of the run as JSON</summary>
        <JsonField
          path={['config']}
          label="Settings that differ from the baseline"
          help='For example {"models": ["openai::gpt-x"], "params": {"top_p": 0.9}}.'
          isOptional
          rows={4}
        />
      </details>
      <details>
        <summary>Measure an existing run instead</summary>
        <ChooseRun
          path={['eval_id']}
          label="Run to measure"
          help="It gets more samples while they may decide the result. The settings above apply only to a new run."
          suite={gate.suite_id}
          emptyWords="a new run"
        />
      </details>
    </>
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
