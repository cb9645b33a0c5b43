import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { ApiError } from '#lib/client/api-client';
import { useAction } from '../../api/action';
import { refreshWork } from '../../api/jobs';
import { submitRun } from '../../api/runs';
import { useRefusal } from '../../api/session';
import { AllowedButton } from '../../parts/allowed-button';
import { useDraft } from '../../parts/draft';
import { Failed } from '../../parts/failed';
import { submitOnCtrlEnter } from '../../parts/submit-keys';
import { ChooseExperiment } from '../../parts/set-up/choose-experiment';
import { ChooseModels } from '../../parts/set-up/choose-models';
import { ChooseSuite } from '../../parts/set-up/choose-suite';
import { EstimateFigures } from '../../parts/set-up/estimate-figures';
import { LabelledField, type FormPart } from '../../parts/set-up/labelled-field';
import { ChooseJudge } from './choose-judge';
import { ChoosePrompt } from './choose-prompt';
import { requestOf, type NewRun } from './new-run';
import { SystemPrompt } from '../../parts/set-up/system-prompt';
import { useEstimate } from './use-estimate';

export function RunForm({ draftKey, initial }: { draftKey: string; initial: NewRun }) {
  const navigate = useNavigate();
  const draft = useDraft(draftKey, initial);
  const refusal = useRefusal('editor');
  const run = draft.value;
  const written = requestOf(run);
  const body = 'body' in written ? written.body : undefined;
  const estimate = useEstimate(body);
  const submit = useAction(submitRun, async ({ eval_id: runId }) => {
    draft.clear();
    await Promise.all([refreshWork(), navigate({ to: '/runs/$runId', params: { runId } })]);
  });
  // What was sent is judged until something else is typed; then the estimate says what is wrong.
  const isJudged = submit.isError && submit.variables === body;
  const error = isJudged ? submit.error : estimate.error;
  const faults = 'faults' in written ? [] : error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const part: FormPart<NewRun> = {
    form: run,
    change: (change) => draft.change({ ...run, ...change }),
    faultsAt: (path) => faults.filter((fault) => fault.path === path || fault.path.startsWith(`${path}/`)),
  };
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (body !== undefined && refusal === undefined && !submit.isPending) submit.mutate(body);
  };
  return (
    <form className="set-up" onSubmit={send} onKeyDown={submitOnCtrlEnter}>
      <div className="fields">
        <ChooseSuite {...part} change={(change) => part.change({ ...change, promptVersion: '' })} />
        <ChooseModels {...part} />
        <Settings {...part} />
        <ChoosePrompt {...part} />
        <SystemPrompt {...part} />
        <ChooseJudge {...part} />
        <ChooseExperiment {...part} />
        <Words {...part} />
        <Limits {...part} />
        <More {...part} />
      </div>
      <aside className="beside" aria-label="Estimate">
        <EstimateFigures estimate={estimate} missing={'faults' in written ? written.faults : []} />
        {isJudged && <Failed error={submit.error} />}
        <div className="actions">
          <AllowedButton
            type="submit"
            className="primary"
            refusal={refusal}
            disabled={body === undefined || submit.isPending}
          >
            Run
          </AllowedButton>
          {draft.isChanged && (
            <button type="button" onClick={draft.clear}>
              Start over
            </button>
          )}
        </div>
      </aside>
    </form>
  );
}

function Settings({ form: run, change, faultsAt }: FormPart<NewRun>) {
  return (
    <div className="in-row">
      <LabelledField label="Samples" help="How often each case runs." faults={faultsAt('/samples')}>
        {(attributes) => (
          <input
            {...attributes}
            inputMode="numeric"
            size={6}
            value={run.samples}
            onChange={({ target }) => change({ samples: target.value })}
          />
        )}
      </LabelledField>
      <LabelledField label="Temperature" faults={faultsAt('/temperature')}>
        {(attributes) => (
          <input
            {...attributes}
            inputMode="decimal"
            size={6}
            value={run.temperature}
            onChange={({ target }) => change({ temperature: target.value })}
          />
        )}
      </LabelledField>
      <LabelledField label="Tool choice" faults={faultsAt('/tool_choice')}>
        {(attributes) => (
          <select
            {...attributes}
            value={run.toolChoice}
            onChange={({ target }) => change({ toolChoice: target.value })}
          >
            <option value="required">required: must call a tool</option>
            <option value="auto">auto: may call a tool</option>
            <option value="none">none: must not</option>
          </select>
        )}
      </LabelledField>
    </div>
  );
}

function Words({ form: run, change, faultsAt }: FormPart<NewRun>) {
  return (
    <>
      <LabelledField label="Name" help="What people call the run. Optional." faults={faultsAt('/name')}>
        {(attributes) => (
          <input
            {...attributes}
            dir="auto"
            maxLength={200}
            value={run.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </LabelledField>
      <LabelledField label="Note" help="What is tried, and why. Optional." faults={faultsAt('/note')}>
        {(attributes) => (
          <textarea
            {...attributes}
            dir="auto"
            rows={2}
            maxLength={2000}
            value={run.note}
            onChange={({ target }) => change({ note: target.value })}
          />
        )}
      </LabelledField>
    </>
  );
}

function Limits({ form: run, change, faultsAt }: FormPart<NewRun>) {
  return (
    <div className="in-row">
      <LabelledField
        label="At most, in US dollars"
        help="The run stops there and keeps what it has. Empty: no limit."
        faults={faultsAt('/budget/max_cost_usd')}
      >
        {(attributes) => (
          <input
            {...attributes}
            inputMode="decimal"
            size={10}
            value={run.maxCost}
            onChange={({ target }) => change({ maxCost: target.value })}
          />
        )}
      </LabelledField>
      <LabelledField label="At most, in requests" faults={faultsAt('/budget/max_requests')}>
        {(attributes) => (
          <input
            {...attributes}
            inputMode="numeric"
            size={10}
            value={run.maxRequests}
            onChange={({ target }) => change({ maxRequests: target.value })}
          />
        )}
      </LabelledField>
    </div>
  );
}

const IN_MORE = ['max_tokens', 'timeout_s', 'params', 'metrics', 'case_filter', 'model_order', 'cache'];

function More({ form: run, change, faultsAt }: FormPart<NewRun>) {
  const faults = IN_MORE.flatMap((key) => faultsAt(`/${key}`));
  return (
    <details open={run.more !== '' || faults.length > 0}>
      <summary>More settings</summary>
      <LabelledField
        label="Settings as JSON"
        help={`An object with any of ${IN_MORE.join(', ')}; docs/metrics.md has the metrics.`}
        faults={faults}
      >
        {(attributes) => (
          <textarea
            {...attributes}
            rows={6}
            className="code"
            spellCheck={false}
            placeholder={'{"max_tokens": 2048, "metrics": ["bfcl_ast"]}'}
            value={run.more}
            onChange={({ target }) => change({ more: target.value })}
          />
        )}
      </LabelledField>
    </details>
  );
}
