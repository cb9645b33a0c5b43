import { useQuery } from '@tanstack/react-query';
import { isObject, toText, type JsonObject } from '#lib/contracts/json/json';
import type { GateInput } from '#lib/gate/contract';
import { ChoiceField } from '../../../ui/form/fields';
import { useField } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { FoldedFields } from '../../../ui/form/folded-fields';
import { experimentsOfSuiteQuery } from '../../experiments/api';
import { ShownByForm } from '../parts/sensitivity';
import { ChooseModels } from '../../providers/parts/choose-models';
import { ChooseRun } from '../../runs/parts/choose-run';

const MAIN: FormSchema<GateInput> = [
  [
    {
      number: 'margin',
      label: 'Margin',
      help: 'The largest acceptable loss: 0.02 is two points.',
    },
    {
      text: 'measure',
      label: 'Measure',
      help: 'overall, passed, a metric, or a figure such as conversation.state.',
      maxLength: 200,
      whenEmpty: 'overall',
    },
  ],
];
const RULES: FormSchema<GateInput> = [
  [
    {
      number: 'looks',
      label: 'Looks',
      help: '1 to 4. Each doubles the samples.',
    },
    { number: 'max_requests', label: 'Maximum requests', help: 'Empty: no limit.' },
  ],
  [
    {
      number: 'floor.pass_rate',
      label: 'Floor',
      help: 'The share of samples that must pass. Empty: none.',
    },
    {
      number: 'max_errored_share',
      label: 'Maximum errored share',
      help: '0.05 is 5 %.',
    },
  ],
  {
    json: 'floor.metrics',
    label: 'Floors of metrics',
    help: 'JSON: the minimum of each metric, such as conversation.state, by its name. Empty: none.',
    isOptional: true,
    rows: 2,
  },
  {
    lines: 'critical_tags',
    label: 'Critical tags',
    help: 'One per line. Their cases must not break.',
  },
];

const MORE = ['/looks', '/max_requests', '/floor', '/max_errored_share', '/critical_tags'];

/** The rules of a gate for a chosen suite. */
export function GateFields({ suite }: { suite: string }) {
  return (
    <>
      <Baseline suite={suite} />
      <Fields of={MAIN} />
      <ShownByForm suite={suite} />
      <FoldedFields summary="More rules" fields={MORE}>
        <Fields of={RULES} />
      </FoldedFields>
      <FoldedFields summary="Models (default: all of the baseline)" fields={['/models']}>
        <ChooseModels path="models" />
      </FoldedFields>
    </>
  );
}

const BASELINE_KINDS = [
  ['eval_id', 'a run'],
  ['experiment_id', 'the current baseline of an experiment'],
] as const;

function Baseline({ suite }: { suite: string }) {
  const { value, errors, set } = useField('baseline');
  const { data: experiments } = useQuery(experimentsOfSuiteQuery(suite));
  const kind = isObject(value) && 'experiment_id' in value ? 'experiment_id' : 'eval_id';
  return (
    <>
      <ChoiceField
        path="baseline"
        label="Measured against"
        options={BASELINE_KINDS}
        value={kind}
        isErrorElsewhere={errors.every(({ path }) => path !== '')}
        onChoose={(chosen) => set({ [chosen]: '' })}
      />
      {kind === 'eval_id' ? (
        <ChooseRun path="baseline.eval_id" label="Run" suite={suite} />
      ) : (
        <ChoiceField
          path="baseline.experiment_id"
          label="Experiment"
          none="choose"
          whenEmpty=""
          options={(experiments?.items ?? []).map(({ id, name }) => [id, name])}
        />
      )}
    </>
  );
}

/** The chosen suite of a gate form. */
export const suiteOf = (value: unknown): string => toText((value as JsonObject).suite_id ?? '');
