import { useSearch } from '@tanstack/react-router';
import { isObject, toText } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import type { PromptTuneEstimate, PromptTuneInput } from '#lib/prompt-tune/contract';
import { ChoiceField, JsonField, LongTextField } from '../../../../ui/form/fields';
import { Expandable, FoldedFields } from '../../../../ui/form/folded-fields';
import { useField } from '../../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../../ui/form/schema';
import { count, Money } from '../../../../ui/amounts';
import { UserLine } from '../../../../ui/user-text';
import { ChooseExperiment } from '../../../experiments/parts/choose-experiment';
import { ChooseModel, ChooseModels } from '../../../providers/parts/choose-models';
import { ChooseSuite } from '../../../suites/parts/choose-suite';
import { NewTune } from '../../../tunes/parts/new-tune';
import { ChooseMode, LimitFields, MeasureFields, ParamsField, RequestFields } from '../../../tunes/parts/search-fields';
import { promptTunes } from '../../api';
import css from '../prompt-tunes.module.css';
import { ChooseComponents } from './choose-components';
import { emptyPromptTune, fromPromptTune, requestOf } from './prompt-tune-value';

/** A new prompt tune, with its estimate before it starts. */
export function PromptTuneNewScreen() {
  return (
    <NewTune
      title="New prompt tune"
      draft="new prompt tune"
      address={useSearch({ from: '/signed-in/tunes/new-prompt' })}
      tunes={promptTunes}
      empty={emptyPromptTune}
      again={fromPromptTune}
      requestOf={requestOf}
      figures={(estimate) => <MetaFigures estimate={estimate} />}
      to="/tunes/prompts/$tuneId"
    >
      <ChooseSuite path="suite_id" forgets={['experiment_id']} />
      <ChooseModels path="models" />
      <ChooseModel
        path="meta_model"
        label="Meta model"
        help="Writes the texts. It must support tool calls; stronger models write better texts."
      />
      <ChooseMode modes={MODES}>
        <ModeFields />
      </ChooseMode>
      <ChooseComponents />
      <Base />
      <fieldset>
        <legend>Requests</legend>
        <RequestFields at={[]} />
        <ParamsField at={[]} />
        <FoldedFields summary="Meta model requests" fields={['/meta_params']}>
          <Fields of={META_FIELDS} within="meta_params" />
          <ParamsField at={['meta_params']} label="Meta model parameters" />
        </FoldedFields>
      </fieldset>
      <MeasureFields of="a text" />
      <LimitFields />
      <ChooseExperiment path="experiment_id" />
    </NewTune>
  );
}

/** The numbers of the chosen mode. */
function ModeFields() {
  const ofMode = FIELDS_OF_MODE[toText(useField('mode').value ?? '')] ?? [];
  return <Fields of={[{ folded: 'Mode settings', of: [[...ofMode, GROWTH]] }]} />;
}

/** The baseline texts. An empty system prompt counts as one, too. */
function Base() {
  const prompt = useField('base.system_prompt');
  const tools = useField('base.tools');
  const isOwn = typeof prompt.value === 'string';
  const hasTools = isObject(tools.value) && Object.keys(tools.value).length > 0;
  return (
    <fieldset>
      <legend>Base</legend>
      <p className="muted small">
        The starting texts. They compete with the candidates, and the best candidate is compared with them.
      </p>
      <ChoiceField
        path="base.system_prompt"
        label="Starting system prompt"
        options={[
          ['suite', "the suite's"],
          ['own', 'custom or none'],
        ]}
        value={isOwn ? 'own' : 'suite'}
        onChoose={(chosen) => prompt.set(chosen === 'own' ? '' : null)}
        isErrorElsewhere={isOwn}
      />
      {isOwn && (
        <LongTextField
          path="base.system_prompt"
          label="System prompt text"
          help="Empty: no system prompt."
          maxLength={MAX_PROMPT_CHARS}
          whenEmpty=""
        />
      )}
      <Expandable
        words="Custom tool descriptions"
        isNeeded={hasTools || tools.unread !== undefined || tools.errors.length > 0}
      >
        <JsonField
          path="base.tools"
          label="Custom tool descriptions"
          help={
            'A JSON object of texts by path, such as tools/get_weather/description. The others are those of the suite.'
          }
          isOptional
          rows={4}
        />
      </Expandable>
    </fieldset>
  );
}

/** The meta model's share of the estimate, and the texts that are tuned. */
const MetaFigures = ({ estimate: { meta, components } }: { estimate: PromptTuneEstimate }) => (
  <>
    <div>
      <h3>Meta model</h3>
      <dl className="estimate">
        <div>
          <dt>Requests</dt>
          <dd>about {count(meta.requests)}</dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>
            {count(meta.prompt_tokens)} in, {count(meta.completion_tokens)} out
          </dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>
            <Money usd={meta.cost_usd} />
          </dd>
        </div>
      </dl>
    </div>
    <details>
      <summary>{components.length === 1 ? 'One text is tuned' : `${count(components.length)} texts are tuned`}</summary>
      <ul className={css.texts}>
        {components.map((component) => (
          <li key={component}>
            <UserLine text={component} />
          </li>
        ))}
      </ul>
    </details>
  </>
);

const MODES = [
  ['reflective', 'Shows the meta model the failures of a few cases, one text at a time, and keeps improvements.'],
  ['evolutionary', 'Writes some texts, then mutates and crosses the best of them over generations.'],
  ['quick', 'Writes several texts at once and tries each on all tuning cases.'],
] as const;

type Row = Extract<FormSchema[number], readonly unknown[]>;

const FIELDS_OF_MODE: Record<string, Row> = {
  quick: [{ number: 'variants', label: 'Variants', help: 'Number of texts to write.' }],
  evolutionary: [
    { number: 'population', label: 'Population', help: 'Texts per generation.' },
    { number: 'generations', label: 'Generations', help: 'Number of generations.' },
    {
      number: 'selection_ratio',
      label: 'Parents',
      help: 'Share of a generation that becomes parents of the next.',
    },
  ],
  reflective: [
    { number: 'minibatch', label: 'Cases per reflection', help: 'Cases that the meta model sees at a time.' },
    {
      number: 'max_evals',
      label: 'Maximum evaluations',
      help: 'Cases × samples × models. Empty: enough for about ten steps.',
    },
  ],
};
const GROWTH = {
  number: 'max_growth',
  label: 'Growth',
  help: 'Maximum length of a text relative to the base. 800 characters are always allowed.',
};

const META_FIELDS: FormSchema<PromptTuneInput> = [
  [
    { number: 'temperature', label: 'Meta model temperature' },
    { number: 'max_tokens', label: 'Maximum meta model reply tokens', help: 'Empty: 8,192.' },
    { number: 'timeout_s', label: 'Meta model timeout in seconds' },
  ],
];
