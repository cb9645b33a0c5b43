import { useSearch } from '@tanstack/react-router';
import type { ParamTuneEstimate } from '#lib/param-tune/contract';
import { NumberField } from '../../../../ui/form/fields';
import { useField } from '../../../../ui/form/json-form';
import { count } from '../../../../ui/amounts';
import { ChooseExperiment } from '../../../experiments/parts/choose-experiment';
import { ChooseModels } from '../../../providers/parts/choose-models';
import { SystemPrompt } from '../../../runs/parts/system-prompt';
import { ChooseSuite } from '../../../suites/parts/choose-suite';
import { paramTunes } from '../../api';
import { NewTune } from '../../parts/new-tune';
import { ChooseMode, LimitFields, MeasureFields, ParamsField, RequestFields } from '../../parts/search-fields';
import { OwnSpaces } from './own-spaces';
import { Presets } from './presets';
import { SpaceEditor } from './space-editor';
import { ModelName } from '../../../providers/parts/model-name';
import { emptyTune, fromTune, requestOf } from './tune-value';

/** A new parameter tune, with its estimate before it starts. */
export function TuneNewScreen() {
  return (
    <NewTune
      title="New parameter tune"
      draft="new tune"
      address={useSearch({ from: '/signed-in/tunes/new' })}
      tunes={paramTunes}
      empty={emptyTune}
      again={fromTune}
      requestOf={requestOf}
      figures={(estimate) => <Combinations estimate={estimate} />}
      to="/tunes/$tuneId"
    >
      <ChooseSuite path="suite_id" forgets={['experiment_id']} />
      <ChooseModels path="models" />
      <fieldset>
        <legend>Search space</legend>
        <p className="muted small">
          The values to try for each parameter. The mode decides whether all of their combinations are tried with each
          model.
        </p>
        <Presets />
        <SpaceEditor path={['search_space']} label="the search space" />
        <OwnSpaces />
      </fieldset>
      <ChooseMode modes={MODES}>
        <Trials />
      </ChooseMode>
      <fieldset>
        <legend>Base</legend>
        <p className="muted small">
          Your current settings. They are one of the combinations, and the others are compared with them.
        </p>
        <RequestFields at={['base']} />
        <SystemPrompt path="base.system_prompt" />
        <ParamsField at={['base']} />
      </fieldset>
      <MeasureFields of="a combination" />
      <LimitFields>
        <NumberField path="max_combinations" label="Maximum grid combinations" />
      </LimitFields>
      <ChooseExperiment path="experiment_id" />
    </NewTune>
  );
}

const Trials = () =>
  useField('mode').value === 'random' && (
    <NumberField path="trials" label="Trials" help="Combinations tried per model." />
  );

const Combinations = ({ estimate: { combinations, distinct } }: { estimate: ParamTuneEstimate }) => (
  <div>
    <h3>Combinations</h3>
    <dl className="estimate">
      <div>
        <dt>Total</dt>
        <dd>{count(combinations)}</dd>
      </div>
      {Object.entries(distinct).map(([target, arms]) => (
        <div key={target}>
          <dt className="named">
            <ModelName target={target} />
          </dt>
          <dd>{count(arms)} distinct</dd>
        </div>
      ))}
    </dl>
  </div>
);

const MODES = [
  [
    'adaptive',
    'Tries some combinations on a few cases, learns which values do well, and gives more cases to the best.',
  ],
  ['grid', 'Tries every combination on every case.'],
  ['random', 'Tries random combinations on every case.'],
] as const;
