import { useQuery } from '@tanstack/react-query';
import { toText } from '#lib/contracts/json/json';
import type { RunInput } from '#lib/contracts/run-input';
import { ErrorNotice } from '../../../../ui/notices';
import { ChoiceField, JsonTextField, NumberField } from '../../../../ui/form/fields';
import { Faults, useField, useForm } from '../../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../../ui/form/schema';
import { ChooseExperiment } from '../../../experiments/parts/choose-experiment';
import { promptChoicesQuery } from '../../../prompts/api';
import { promptName } from '../../../prompts/parts/prompt-name';
import { ChooseModel, ChooseModels } from '../../../providers/parts/choose-models';
import { ChooseSuite } from '../../../suites/parts/choose-suite';
import { CACHE_MODES, TOOL_CHOICES } from '../../../tunes/parts/search-fields';
import { SystemPrompt } from '../../parts/system-prompt';
import { ChooseMetrics } from './choose-metrics';
import { MoreSettings } from './more-settings';
import { withPromptVersion } from './new-run';

/** Everything that can be chosen for a run. */
export const RunFields = () => <Fields of={FIELDS} />;

/** The texts that models get: the suite's, or those of a prompt version. */
function ChoosePrompt() {
  const { edited, change } = useForm();
  const suite = toText(useField('suite_id').value);
  const { data, error, refetch } = useQuery(promptChoicesQuery(suite));
  return (
    <>
      {error && <ErrorNotice error={error} retry={() => refetch()} />}
      <ChoiceField
        path="prompt_version_id"
        label="Prompt version"
        help="Its texts replace the suite's. The suite does not change."
        none="the suite's texts"
        options={(data?.items ?? []).map((version) => [version.id, promptName(version)])}
        isDisabled={suite === ''}
        className="bounded"
        onChoose={(version) => change(withPromptVersion(edited, version))}
      />
    </>
  );
}

/** Faults of the case filter as a whole. */
function FilterFaults() {
  const faults = useField('case_filter').errors.filter(({ path }) => path === '');
  return (
    faults.length > 0 && (
      <div className="small">
        <Faults faults={faults} />
      </div>
    )
  );
}

/** Whether a judge reviews the results that did not pass. */
function ChooseJudge() {
  const { value: when } = useField('judge.when');
  return (
    <>
      <ChoiceField
        path="judge.when"
        label="Judge"
        help="A model judges whether failed replies serve the user. It changes no score."
        none="none"
        options={[
          ['after', 'after the run'],
          ['inline', 'inline: during the run'],
        ]}
      />
      {when !== undefined && (
        <div className="in-row">
          <ChooseModel path="judge.judge" label="Judge model" none="the default judge" whenEmpty={null} />
          <NumberField path="judge.below" label="Below" help="Only results that score below this, from 0 to 1." />
        </div>
      )}
    </>
  );
}

/** Settings without a field: text overrides from an earlier run. */
function Texts() {
  const { value, unread } = useField('more');
  const faults = useForm().errors.filter(({ path }) => /^\/(base_prompt|tool_overrides)(\/|$)/.test(path));
  return (
    <details open={value !== undefined || unread !== undefined || faults.length > 0}>
      <summary>Texts instead of the suite&apos;s</summary>
      <JsonTextField
        path="more"
        label="Texts as JSON"
        help="An object with base_prompt, tool_overrides or both. To reuse them, make a prompt version."
        indent={2}
      />
      <div className="small">
        <Faults faults={faults} />
      </div>
    </details>
  );
}

const REQUESTS: FormSchema<RunInput> = [
  [
    { text: 'case_filter.tags', label: 'Only cases with tags', help: 'Any of these, comma-separated. Empty: all.' },
    { text: 'case_filter.category', label: 'Only cases of a category' },
  ],
  <FilterFaults />,
  [
    {
      text: 'max_tokens',
      label: 'Maximum reply tokens',
      help: "Empty: the limit of the experiment's baseline, or no limit. none: no limit.",
      inputMode: 'numeric',
      size: 8,
    },
    { number: 'timeout_s', label: 'Request timeout in seconds' },
    {
      choice: 'model_order',
      label: 'Model order',
      options: [
        ['sequential', 'one after another per provider'],
        ['parallel', 'in parallel'],
      ],
    },
    {
      choice: 'cache',
      label: 'Stored replies',
      help: 'Automatic: used at temperature 0 with one sample.',
      none: 'automatic',
      options: CACHE_MODES,
    },
    {
      choice: 'prompt_cache',
      label: 'Provider cache',
      help: 'Caches tools and system prompt. Anthropic bills more for cache writes and less for cache reads.',
      options: [
        ['off', 'off: no provider caching'],
        ['5m', '5m: keep for five minutes'],
        ['1h', '1h: keep for an hour'],
      ],
    },
  ],
  {
    jsonText: 'params',
    label: 'Provider parameters',
    help: 'A JSON object added to each request, for example of top_p.',
  },
];

const MORE: FormSchema<RunInput> = [
  { text: 'name', label: 'Name', maxLength: 200 },
  [
    { number: 'temperature', label: 'Temperature' },
    { choice: 'tool_choice', label: 'Tool choice', options: TOOL_CHOICES },
  ],
  <ChoosePrompt />,
  <SystemPrompt path="system_prompt" />,
  <fieldset>
    <legend>Cases and requests</legend>
    <Fields of={REQUESTS} />
  </fieldset>,
  <ChooseMetrics />,
  <ChooseJudge />,
  { longText: 'note', label: 'Note', rows: 2, maxLength: 2000 },
  [
    { number: 'budget.max_cost_usd', label: 'Maximum cost in US dollars', help: 'The run stops there.' },
    { number: 'budget.max_requests', label: 'Maximum requests' },
  ],
  <Texts />,
];

const FIELDS: FormSchema<RunInput> = [
  <ChooseSuite path="suite_id" forgets={['experiment_id', 'prompt_version_id']} />,
  <ChooseModels path="models" />,
  [
    { number: 'samples', label: 'Samples', help: 'Answers per case.' },
    <ChooseExperiment key="experiment" path="experiment_id" />,
  ],
  <MoreSettings>
    <Fields of={MORE} />
  </MoreSettings>,
];
