import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { toText, type JsonObject } from '#lib/contracts/json/json';
import type { ExperimentInput } from '#lib/contracts/experiment';
import { Form } from '../../../ui/form/form';
import { useForm } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Head } from '../../../ui/head';
import { ChooseRun } from '../../runs/parts/choose-run';
import { ChooseSuite } from '../../suites/parts/choose-suite';
import { createExperiment, refreshExperiments } from '../api';

const TRAIL = [{ to: '/experiments', label: 'Experiments' }] as const;

/** A new experiment's question, suite, and minimum difference. */
export function NewExperimentScreen() {
  const navigate = useNavigate();
  const { suite = '', baseline = null } = useSearch({ from: '/signed-in/experiments/new' });
  return (
    <>
      <Head title="New experiment" trail={TRAIL} />
      <Form
        name={`new experiment ${suite} ${baseline ?? ''}`}
        initial={useMemo(() => emptyExperiment(suite, baseline), [suite, baseline])}
        send={createExperiment}
        onDone={({ id }) => {
          void refreshExperiments();
          return navigate({ to: '/experiments/$experimentId', params: { experimentId: id } });
        }}
        save="Create experiment"
      >
        <Fields of={FIELDS} />
      </Form>
    </>
  );
}

const Baseline = () => (
  <ChooseRun
    path="baseline_eval_id"
    label="Baseline"
    help="All other runs are compared with it. You can also pin it later."
    suite={toText((useForm().edited.value as JsonObject).suite_id)}
    none="the first run to complete"
    whenEmpty={null}
  />
);

const FIELDS: FormSchema<ExperimentInput> = [
  { text: 'name', label: 'Name', maxLength: 200, isRequired: true, whenEmpty: '', autoFocus: true },
  <ChooseSuite path="suite_id" forgets={['baseline_eval_id']} />,
  {
    longText: 'description',
    label: 'Description',
    help: 'What you are testing, and why.',
    maxLength: 10_000,
    whenEmpty: '',
  },
  <Baseline />,
  {
    number: 'margin',
    label: 'Margin',
    help:
      'The smallest difference that matters: 0.02 is two points. Fixed once created, so that results cannot change ' +
      'it.',
  },
  {
    text: 'measure',
    label: 'Measure',
    help: 'overall, passed, or the name of another metric of the runs. Fixed once created.',
    maxLength: 200,
    whenEmpty: 'overall',
  },
];

const emptyExperiment = (suite: string, baseline: string | null): JsonObject => ({
  name: '',
  suite_id: suite,
  description: '',
  baseline_eval_id: baseline,
  margin: 0.02,
  measure: 'overall',
});
