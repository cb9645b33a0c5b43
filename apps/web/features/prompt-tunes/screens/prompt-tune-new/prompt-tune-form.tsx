import { useNavigate } from '@tanstack/react-router';
import type { JsonObject } from '#lib/contracts/json/json';
import { refreshWork } from '../../../../api/refresh';
import { promptTunes } from '../../api';
import { NumberField } from '../../../../ui/form/fields';
import { ChooseExperiment } from '../../../experiments/parts/choose-experiment';
import { ChooseMode, LimitFields, MeasureFields, ParamsField, RequestFields } from '../../../tunes/parts/search-fields';
import { ChooseModel } from '../../../providers/parts/choose-model';
import { ChooseModels } from '../../../providers/parts/choose-models';
import { ChooseSuite } from '../../../suites/parts/choose-suite';
import { EstimatedForm } from '../../../../ui/form/estimated-form';
import { FoldedFields } from '../../../../ui/form/folded-fields';
import { BasePrompt } from './base-prompt';
import { ChooseComponents } from './choose-components';
import { ModeFields } from './mode-fields';
import { PROMPT_TUNE_MODES } from './modes';
import { PromptTuneEstimate } from './prompt-tune-estimate';
import { requestOf } from './prompt-tune-value';

export function PromptTuneForm({ draftKey, initial }: { draftKey: string; initial: JsonObject }) {
  const navigate = useNavigate();
  return (
    <EstimatedForm
      name={draftKey}
      initial={initial}
      requestOf={requestOf}
      estimateOf={promptTunes.estimateQuery}
      figures={(estimate, missing) => <PromptTuneEstimate estimate={estimate} missing={missing} />}
      send={promptTunes.submit}
      onDone={({ tune_id: tuneId }) =>
        Promise.all([refreshWork(), navigate({ to: '/tunes/prompts/$tuneId', params: { tuneId } })])
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
    <ChooseModel
      path={['meta_model']}
      label="Meta model"
      help="Writes the texts. It must support tool calls; stronger models write better texts."
    />
    <ChooseMode modes={PROMPT_TUNE_MODES}>
      <ModeFields />
    </ChooseMode>
    <ChooseComponents />
    <BasePrompt />
    <fieldset>
      <legend>Requests</legend>
      <RequestFields at={[]} />
      <ParamsField at={[]} />
      <MetaFields />
    </fieldset>
    <MeasureFields of="a text" />
    <LimitFields />
    <ChooseExperiment path="experiment_id" />
  </>
);

const META = ['meta_params'];

const MetaFields = () => (
  <FoldedFields summary="Meta model requests" fields={['/meta_params']}>
    <div className="in-row">
      <NumberField path={[...META, 'temperature']} label="Meta model temperature" />
      <NumberField path={[...META, 'max_tokens']} label="Maximum meta model reply tokens" help="Empty: 8,192." />
      <NumberField path={[...META, 'timeout_s']} label="Meta model timeout in seconds" />
    </div>
    <ParamsField at={META} label="Meta model parameters" />
  </FoldedFields>
);
