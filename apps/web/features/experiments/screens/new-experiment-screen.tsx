import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { toText, type Json, type JsonObject } from '#lib/contracts/json/json';
import { useAction } from '../../../api/action';
import { createExperiment, refreshExperiments, type NewExperiment } from '../api';
import { useRefusal } from '../../../api/session';
import { useDraft } from '../../../ui/draft';
import { DraftForm } from '../../../ui/form/draft-form';
import type { Edited } from '../../../ui/form/edited';
import { LongTextField, NumberField, TextField } from '../../../ui/form/fields';
import { ChooseRun } from '../../runs/parts/choose-run';
import { ChooseSuite } from '../../suites/parts/choose-suite';

/** A new experiment's question, suite, and minimum difference. */
export function NewExperimentScreen() {
  const navigate = useNavigate();
  const { suite = '', baseline = null } = useSearch({ from: '/signed-in/experiments/new' });
  const refusal = useRefusal('editor');
  const initial = useMemo<Edited>(() => ({ value: emptyExperiment(suite, baseline), unread: {} }), [suite, baseline]);
  const draft = useDraft(`new experiment ${suite} ${baseline ?? ''}`, initial);
  const create = useAction(
    (input: Json, options) => createExperiment(input as NewExperiment, options),
    async ({ id }) => {
      draft.clear();
      void refreshExperiments();
      await navigate({ to: '/experiments/$experimentId', params: { experimentId: id } });
    },
  );
  const send = (): void => {
    if (Object.keys(draft.value.unread).length === 0) create.mutate(draft.value.value);
  };
  return (
    <>
      <header>
        <h1>New experiment</h1>
        <p>An experiment collects runs of one suite that answer one question, each compared with one baseline.</p>
      </header>
      <DraftForm {...{ draft, refusal, send }} saving={create} save="Create experiment">
        <Fields suite={toText((draft.value.value as JsonObject).suite_id)} />
      </DraftForm>
    </>
  );
}

/** @param suite the chosen one, whose runs can be the baseline */
function Fields({ suite }: { suite: string }) {
  return (
    <>
      <TextField path={['name']} label="Name" maxLength={200} isRequired whenEmpty="" autoFocus />
      <ChooseSuite path="suite_id" forgets={['baseline_eval_id']} />
      <LongTextField
        path={['description']}
        label="Description"
        help="What you are testing, and why."
        maxLength={10_000}
        whenEmpty=""
      />
      <ChooseRun
        path={['baseline_eval_id']}
        label="Baseline"
        help="All other runs are compared with it. You can also pin it later."
        suite={suite}
        none="the first run to complete"
        whenEmpty={null}
      />
      <NumberField path={['margin']} label="Margin" help={MARGIN_HELP} />
      <TextField
        path={['measure']}
        label="Measure"
        help="overall, passed, or the name of another metric of the runs. Fixed once created."
        maxLength={200}
        whenEmpty="overall"
      />
    </>
  );
}

const MARGIN_HELP =
  'The smallest difference that matters: 0.02 is two points. Fixed once created, so that results cannot change it.';

const emptyExperiment = (suite: string, baseline: string | null): JsonObject => ({
  name: '',
  suite_id: suite,
  description: '',
  baseline_eval_id: baseline,
  margin: 0.02,
  measure: 'overall',
});
