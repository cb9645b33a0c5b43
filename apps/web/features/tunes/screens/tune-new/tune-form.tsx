import { useNavigate } from '@tanstack/react-router';
import type { JsonObject } from '#lib/contracts/json/json';
import { refreshWork } from '../../../../api/refresh';
import { paramTunes } from '../../api';
import { NumberField } from '../../../../ui/form/fields';
import { useField } from '../../../../ui/form/json-form';
import { ChooseExperiment } from '../../../experiments/parts/choose-experiment';
import { ChooseMode, LimitFields, MeasureFields } from '../../parts/search-fields';
import { ChooseModels } from '../../../providers/parts/choose-models';
import { ChooseSuite } from '../../../suites/parts/choose-suite';
import { EstimatedForm } from '../../../../ui/form/estimated-form';
import { BaseFields } from './base-fields';
import { TUNE_MODES } from './modes';
import { OwnSpaces } from './own-spaces';
import { Presets } from './presets';
import { SpaceEditor } from './space-editor';
import { TuneEstimate } from './tune-estimate';
import { requestOf } from './tune-value';

export function TuneForm({ draftKey, initial }: { draftKey: string; initial: JsonObject }) {
  const navigate = useNavigate();
  return (
    <EstimatedForm
      name={draftKey}
      initial={initial}
      requestOf={requestOf}
      estimateOf={paramTunes.estimateQuery}
      figures={(estimate, missing) => <TuneEstimate estimate={estimate} missing={missing} />}
      send={paramTunes.submit}
      onDone={({ tune_id: tuneId }) =>
        Promise.all([refreshWork(), navigate({ to: '/tunes/$tuneId', params: { tuneId } })])
      }
      action="Tune"
    >
      <Fields />
    </EstimatedForm>
  );
}

const Fields = () => (
  <>
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
    <Mode />
    <BaseFields />
    <MeasureFields of="a combination" />
    <LimitFields>
      <NumberField path={['max_combinations']} label="Maximum grid combinations" />
    </LimitFields>
    <ChooseExperiment path="experiment_id" />
  </>
);

function Mode() {
  const { value } = useField(['mode']);
  return (
    <ChooseMode modes={TUNE_MODES}>
      {value === 'random' && <NumberField path={['trials']} label="Trials" help="Combinations tried per model." />}
    </ChooseMode>
  );
}
