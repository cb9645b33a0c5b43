import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { ApiError } from '#lib/client/api-client';
import { useAction } from '../../../../api/action';
import { refreshWork } from '../../../../api/refresh';
import { submitRun } from '../../api/runs';
import { useRefusal } from '../../../../api/session';
import { useDraft } from '../../../../ui/draft';
import { submitOnCtrlEnter } from '../../../../ui/submit-keys';
import { ChooseExperiment } from '../../../experiments/parts/choose-experiment';
import { ChooseModels } from '../../../providers/parts/choose-models';
import { ChooseSuite } from '../../../suites/parts/choose-suite';
import { EstimateFigures } from '../../parts/estimate-figures';
import type { FormPart } from '../../../../ui/form/labelled-field';
import { SubmitBar } from '../../../../ui/form/submit-bar';
import { SystemPrompt } from '../../parts/system-prompt';
import { ChooseMetrics } from './choose-metrics';
import { ChooseJudge } from './choose-judge';
import { ChoosePrompt } from './choose-prompt';
import { requestOf, type NewRun } from './new-run';
import { Limits, MoreSettings, Requests, Settings, NameAndNoteFields } from './settings-fields';
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
  // The errors of the submission are shown until the input changes; then those of the estimate.
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
        <Requests {...part} />
        <ChooseMetrics {...part} />
        <ChooseJudge {...part} />
        <ChooseExperiment {...part} />
        <NameAndNoteFields {...part} />
        <Limits {...part} />
        <MoreSettings {...part} />
      </div>
      <aside className="beside" aria-label="Estimate">
        <EstimateFigures estimate={estimate} missing={'faults' in written ? written.faults : []} />
        <SubmitBar
          action="Run"
          isWaiting={body === undefined || submit.isPending}
          error={isJudged ? submit.error : null}
          {...{ refusal, draft }}
        />
      </aside>
    </form>
  );
}
