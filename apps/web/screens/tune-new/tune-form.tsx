import { useNavigate } from '@tanstack/react-router';
import { useMemo, type FormEvent } from 'react';
import { toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { useAction } from '../../api/action';
import { refreshWork } from '../../api/jobs';
import { useRefusal } from '../../api/session';
import { submitTune } from '../../api/tunes';
import { AllowedButton } from '../../parts/allowed-button';
import { useDraft } from '../../parts/draft';
import { Failed } from '../../parts/failed';
import { edit, type Edited } from '../../parts/form/edited';
import { JsonForm, useForm } from '../../parts/form/form';
import { ChooseExperiment } from '../../parts/set-up/choose-experiment';
import { ChooseModels } from '../../parts/set-up/choose-models';
import { ChooseSuite } from '../../parts/set-up/choose-suite';
import { submitOnCtrlEnter } from '../../parts/submit-keys';
import { BaseFields } from './base-fields';
import { ChooseMode } from './choose-mode';
import { OwnSpaces } from './own-spaces';
import { Presets } from './presets';
import { LimitFields, MeasureFields } from './search-fields';
import { SpaceEditor } from './space-editor';
import { TuneEstimate, useTuneEstimate } from './tune-estimate';
import { requestOf, textsOf } from './tune-value';

export function TuneForm({ draftKey, initial }: { draftKey: string; initial: JsonObject }) {
  const navigate = useNavigate();
  const first = useMemo<Edited>(() => ({ value: initial, unread: {} }), [initial]);
  const draft = useDraft(draftKey, first);
  const refusal = useRefusal('editor');
  const written = requestOf(draft.value);
  const body = 'body' in written ? written.body : undefined;
  const estimate = useTuneEstimate(body);
  const submit = useAction(submitTune, async ({ tune_id: tuneId }) => {
    draft.clear();
    await Promise.all([refreshWork(), navigate({ to: '/tunes/$tuneId', params: { tuneId } })]);
  });
  // What was sent is judged until something else is typed; then the estimate says what is wrong.
  const isJudged = submit.isError && submit.variables === body;
  const error = isJudged ? submit.error : estimate.error;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (body !== undefined && refusal === undefined && !submit.isPending) submit.mutate(body);
  };
  return (
    <JsonForm edited={draft.value} change={draft.change} error={body === undefined ? null : error} refusal={refusal}>
      <form className="set-up" onSubmit={send} onKeyDown={submitOnCtrlEnter}>
        <Fields />
        <aside className="beside" aria-label="Estimate">
          <TuneEstimate estimate={estimate} missing={'faults' in written ? written.faults : []} />
          {isJudged && <Failed error={submit.error} />}
          <div className="actions">
            <AllowedButton
              type="submit"
              className="primary"
              refusal={refusal}
              disabled={body === undefined || submit.isPending}
            >
              Tune
            </AllowedButton>
            {draft.isChanged && (
              <button type="button" onClick={draft.clear}>
                Start over
              </button>
            )}
          </div>
        </aside>
      </form>
    </JsonForm>
  );
}

function Fields() {
  const { edited, change, errors } = useForm();
  const tune = edited.value as JsonObject;
  const set = (fields: Record<string, Json>): void =>
    change(Object.entries(fields).reduce((next, [key, value]) => edit(next, [key], value), edited));
  const faultsAt = (path: string) => errors.filter((fault) => fault.path === path || fault.path.startsWith(`${path}/`));
  const ofSuite = { suite: toText(tune.suite_id), experiment: tune.experiment_id ? toText(tune.experiment_id) : '' };
  const choose = ({ suite, experiment }: Partial<typeof ofSuite>): void =>
    set({
      ...(suite !== undefined && { suite_id: suite }),
      ...(experiment !== undefined && { experiment_id: experiment || null }),
    });
  const models = textsOf(tune.models);
  return (
    <div className="fields">
      <ChooseSuite form={ofSuite} change={choose} faultsAt={faultsAt} />
      <ChooseModels
        form={{ models }}
        change={({ models: chosen }) => set({ models: chosen ?? models })}
        faultsAt={faultsAt}
      />
      <fieldset>
        <legend>Search space</legend>
        <p className="muted small">
          The values to try of each parameter. Every combination of them is tried, or may be, with each model.
        </p>
        <Presets />
        <SpaceEditor path={['search_space']} label="the search space" />
        <OwnSpaces />
      </fieldset>
      <ChooseMode />
      <BaseFields />
      <MeasureFields />
      <LimitFields />
      <ChooseExperiment form={ofSuite} change={choose} faultsAt={faultsAt} />
    </div>
  );
}
