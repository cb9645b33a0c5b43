import { useQuery } from '@tanstack/react-query';
import { isObject, toText, type JsonObject } from '#lib/contracts/json/json';
import { experimentsOfSuiteQuery } from '../../experiments/api';
import { LinesField, NumberField, TextField } from '../../../ui/form/fields';
import { useField, useForm } from '../../../ui/form/form';
import { visible } from '../../../ui/user-text';
import { ChooseModels } from '../../providers/parts/choose-models';
import { ChooseRun } from '../../runs/parts/choose-run';
import { FoldedFields } from '../../../ui/form/folded-fields';
import { LabelledField } from '../../../ui/form/labelled-field';
import { useChoices } from '../../../ui/form/use-choices';

/** The rules of a gate for a chosen suite. */
export function GateFields({ suite }: { suite: string }) {
  return (
    <>
      <Baseline suite={suite} />
      <div className="in-row">
        <NumberField
          path={['margin']}
          label="Margin"
          help="The largest acceptable loss: 0.02 is two points. Choose it before you see a result."
        />
        <TextField
          path={['measure']}
          label="Measure"
          help="overall, passed, or the name of another metric."
          maxLength={200}
          whenEmpty="overall"
        />
      </div>
      <div className="in-row">
        <NumberField
          path={['looks']}
          label="Looks"
          help="1 to 4. While inconclusive, a gate run doubles its samples and looks again."
        />
        <NumberField path={['max_requests']} label="Maximum requests" help="Per gate run. Empty: no limit." />
      </div>
      <div className="in-row">
        <NumberField
          path={['floor', 'pass_rate']}
          label="Floor"
          help="The share of samples that must pass, regardless of the baseline. Empty: none."
        />
        <NumberField
          path={['max_errored_share']}
          label="Maximum errored share"
          help="Above it, nothing is measured: 0.05 is 5 %."
        />
      </div>
      <LinesField
        path={['critical_tags']}
        label="Critical tags"
        help="One per line. Cases with one of these tags must not break."
      />
      <FoldedFields summary="Models that must pass (default: all of the baseline)" fields={['/models']}>
        <ChooseModels {...useChoices().models} />
      </FoldedFields>
    </>
  );
}

const BASELINE_KINDS = [
  ['eval_id', 'a run'],
  ['experiment_id', 'the current baseline of an experiment'],
] as const;
type Kind = (typeof BASELINE_KINDS)[number][0];

function Baseline({ suite }: { suite: string }) {
  const { errors } = useForm();
  const { value, refusal, set } = useField(['baseline']);
  const kind: Kind = isObject(value) && 'experiment_id' in value ? 'experiment_id' : 'eval_id';
  return (
    <>
      <LabelledField
        label="Measured against"
        faults={errors.filter(({ path }) => path === '/baseline')}
        help="Later gate runs reuse the samples that a gate run adds to it."
      >
        {(attributes) => (
          <select
            {...attributes}
            disabled={refusal !== undefined}
            title={refusal}
            value={kind}
            onChange={({ target }) => set({ [target.value]: '' })}
          >
            {BASELINE_KINDS.map(([key, words]) => (
              <option key={key} value={key}>
                {words}
              </option>
            ))}
          </select>
        )}
      </LabelledField>
      {kind === 'eval_id' ? (
        <ChooseRun path={['baseline', 'eval_id']} label="Run" suite={suite} />
      ) : (
        <ChooseExperiment suite={suite} />
      )}
    </>
  );
}

function ChooseExperiment({ suite }: { suite: string }) {
  const { value, errors, refusal, set } = useField(['baseline', 'experiment_id']);
  const { data } = useQuery(experimentsOfSuiteQuery(suite));
  const chosen = toText(value ?? '');
  const isListed = data?.items.some(({ id }) => id === chosen);
  return (
    <LabelledField label="Experiment" faults={errors}>
      {(attributes) => (
        <select
          {...attributes}
          disabled={refusal !== undefined}
          title={refusal}
          value={chosen}
          onChange={({ target }) => set(target.value)}
        >
          <option value="">choose</option>
          {chosen !== '' && !isListed && <option value={chosen}>{chosen}</option>}
          {data?.items.map(({ id, name }) => (
            <option key={id} value={id}>
              {visible(name)}
            </option>
          ))}
        </select>
      )}
    </LabelledField>
  );
}

/** The chosen suite of a gate form. */
export const suiteOf = (value: unknown): string => toText((value as JsonObject).suite_id ?? '');
