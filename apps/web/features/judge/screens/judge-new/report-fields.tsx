import { toText, type JsonObject } from '#lib/contracts/json/json';
import { MAX_INSTRUCTIONS_CHARS } from '#lib/contracts/values/judging';
import type { JudgeInput } from '#lib/judge/contract';
import { FoldedFields } from '../../../../ui/form/folded-fields';
import { useForm } from '../../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../../ui/form/schema';
import { ChooseModel } from '../../../providers/parts/choose-models';
import { ChooseRun } from '../../../runs/parts/choose-run';
import { ParamsField } from '../../../tunes/parts/search-fields';
import { reportKindOf } from './report-value';

const useKind = () => reportKindOf(useForm().edited.value);

/** What a report is about. */
const Runs = () =>
  useKind() === 'run' ? (
    <ChooseRun path="eval_id" label="Run" />
  ) : (
    <>
      <ChooseRun path="b" label="Run" />
      <ChooseRun path="a" label="Compared with" help="The baseline. The judge does not know which run is which." />
    </>
  );

/** Which results of a run are judged, or how many cases of a comparison. */
function Selection() {
  const kind = useKind();
  const which = toText((useForm().edited.value as JsonObject).which ?? '');
  return <Fields of={kind === 'pair' ? [{ number: 'sample_size', label: 'Maximum cases' }] : [resultFields(which)]} />;
}

const resultFields = (which: string): FormSchema[number] => [
  {
    choice: 'which',
    label: 'Results',
    help: which === 'failed' ? 'Kappa needs all results or a sample.' : undefined,
    options: [
      ['failed', 'those that did not pass'],
      ['all', 'all'],
      ['sample', 'a random sample'],
    ],
  },
  ...(which === 'failed' ? [{ number: 'below', label: 'Below', help: 'A score, from 0 to 1.' }] : []),
  ...(which === 'sample' ? [{ number: 'sample_size', label: 'Sample size' }] : []),
];

const REQUEST_KEYS = ['samples', 'temperature', 'max_tokens', 'timeout_s', 'seed', 'params', 'budget'];
const REQUEST_FIELDS: FormSchema<JudgeInput> = [
  [
    { number: 'samples', label: 'Samples', help: 'Judgements per result; the majority counts.' },
    { number: 'temperature', label: 'Temperature', help: 'At 0, a rerun uses stored replies.' },
    { number: 'max_tokens', label: 'Maximum reply tokens', help: 'Empty: 4,096.' },
  ],
  [
    { number: 'timeout_s', label: 'Request timeout in seconds' },
    { number: 'seed', label: 'Seed', help: 'Same seed, same sample.' },
  ],
  [
    {
      number: 'budget.max_cost_usd',
      label: 'Maximum cost in US dollars',
      help: 'The report stops there and keeps its judgements. Empty: no limit.',
    },
    { number: 'budget.max_requests', label: 'Maximum requests' },
  ],
  <ParamsField at={[]} />,
];

/** The settings of a new report. */
export const REPORT_FIELDS: FormSchema<JudgeInput & { about: string }> = [
  {
    choice: 'about',
    label: 'Subject',
    options: [
      ['run', 'a run: does each reply serve the user?'],
      ['pair', 'two runs: whose replies are better?'],
    ],
  },
  <Runs />,
  <ChooseModel path="judge" label="Judge" help="A strong model that calls tools." />,
  {
    flag: 'allow_self',
    label: 'Allow a model to judge itself',
    help: 'Models prefer their own replies.',
  },
  <Selection />,
  {
    longText: 'instructions',
    label: 'Instructions',
    help: 'What matters in this suite.',
    maxLength: MAX_INSTRUCTIONS_CHARS,
    whenEmpty: '',
  },
  {
    flag: 'reference',
    label: 'Show the expectation to the judge',
    help: 'As a reference that may be wrong.',
  },
  <FoldedFields summary="Requests and limits" fields={REQUEST_KEYS.map((key) => `/${key}`)}>
    <Fields of={REQUEST_FIELDS} />
  </FoldedFields>,
];
