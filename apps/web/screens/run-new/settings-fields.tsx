import { LabelledField, type FormPart } from '../../parts/set-up/labelled-field';
import { SelectField, TypedField } from '../../parts/set-up/typed-field';
import type { NewRun } from './new-run';

const TOOL_CHOICES = [
  ['required', 'required: must call a tool'],
  ['auto', 'auto: may call a tool'],
  ['none', 'none: must not call a tool'],
] as const;
const CACHE_MODES = [
  ['', 'automatic'],
  ['use', 'use: answer repeated requests'],
  ['refresh', 'refresh: ask again and store'],
  ['off', 'off'],
] as const;
const PROMPT_CACHE_MODES = [
  ['off', 'off: no provider caching'],
  ['5m', '5m: keep for five minutes'],
  ['1h', '1h: keep for an hour'],
] as const;
const MODEL_ORDERS = [
  ['sequential', 'one after another per provider'],
  ['parallel', 'in parallel'],
] as const;

type Part = FormPart<NewRun>;

export const Settings = ({ form: run, change, faultsAt }: Part) => (
  <div className="in-row">
    <TypedField
      label="Samples"
      help="How often each case runs."
      faults={faultsAt('/samples')}
      mode="numeric"
      value={run.samples}
      change={(samples) => change({ samples })}
    />
    <TypedField
      label="Temperature"
      faults={faultsAt('/temperature')}
      mode="decimal"
      value={run.temperature}
      change={(temperature) => change({ temperature })}
    />
    <SelectField
      label="Tool choice"
      faults={faultsAt('/tool_choice')}
      value={run.toolChoice}
      change={(toolChoice) => change({ toolChoice })}
      options={TOOL_CHOICES}
    />
  </div>
);

const Caches = ({ form: run, change, faultsAt }: Part) => (
  <>
    <SelectField
      label="Stored replies"
      help="Automatic: used at temperature 0 with one sample."
      faults={faultsAt('/cache')}
      value={run.cache}
      change={(cache) => change({ cache })}
      options={CACHE_MODES}
    />
    <SelectField
      label="Provider cache"
      help="Caches tools and system prompt. Anthropic bills more for cache writes and less for cache reads."
      faults={faultsAt('/prompt_cache')}
      value={run.promptCache ?? 'off'}
      change={(promptCache) => change({ promptCache })}
      options={PROMPT_CACHE_MODES}
    />
  </>
);

/** The cases, and the request settings. */
export const Requests = ({ form: run, change, faultsAt }: Part) => (
  <fieldset>
    <legend>Cases and requests</legend>
    <div className="in-row">
      <TypedField
        label="Only cases with tags"
        help="Any of these, comma-separated. Empty: all."
        faults={faultsAt('/case_filter/tags')}
        value={run.tags}
        change={(tags) => change({ tags })}
      />
      <TypedField
        label="Only cases of a category"
        faults={faultsAt('/case_filter').filter(({ path }) => !path.startsWith('/case_filter/tags'))}
        value={run.category}
        change={(category) => change({ category })}
      />
    </div>
    <div className="in-row">
      <TypedField
        label="Maximum reply tokens"
        help="Empty: the limit of the experiment's baseline, or no limit. none: no limit."
        faults={faultsAt('/max_tokens')}
        mode="numeric"
        value={run.maxTokens}
        change={(maxTokens) => change({ maxTokens })}
      />
      <TypedField
        label="Request timeout in seconds"
        faults={faultsAt('/timeout_s')}
        mode="decimal"
        value={run.timeout}
        change={(timeout) => change({ timeout })}
      />
      <SelectField
        label="Model order"
        faults={faultsAt('/model_order')}
        value={run.modelOrder}
        change={(modelOrder) => change({ modelOrder })}
        options={MODEL_ORDERS}
      />
      <Caches form={run} change={change} faultsAt={faultsAt} />
    </div>
    <JsonText
      label="Provider parameters"
      help={'A JSON object added to each request, such as {"top_p": 0.9}. Optional.'}
      faults={faultsAt('/params')}
      value={run.params}
      change={(params) => change({ params })}
    />
  </fieldset>
);

export const Words = ({ form: run, change, faultsAt }: Part) => (
  <>
    <TypedField
      label="Name"
      help="Display name. Optional."
      faults={faultsAt('/name')}
      maxLength={200}
      value={run.name}
      change={(name) => change({ name })}
    />
    <LabelledField label="Note" help="What the run tries, and why. Optional." faults={faultsAt('/note')}>
      {(attributes) => (
        <textarea
          {...attributes}
          dir="auto"
          rows={2}
          maxLength={2000}
          value={run.note}
          onChange={({ target }) => change({ note: target.value })}
        />
      )}
    </LabelledField>
  </>
);

export const Limits = ({ form: run, change, faultsAt }: Part) => (
  <div className="in-row">
    <TypedField
      label="Maximum cost in US dollars"
      help="The run stops there and keeps its results. Empty: no limit."
      faults={faultsAt('/budget/max_cost_usd')}
      mode="decimal"
      size={10}
      value={run.maxCost}
      change={(maxCost) => change({ maxCost })}
    />
    <TypedField
      label="Maximum requests"
      faults={faultsAt('/budget/max_requests')}
      mode="numeric"
      size={10}
      value={run.maxRequests}
      change={(maxRequests) => change({ maxRequests })}
    />
  </div>
);

const IN_MORE = ['base_prompt', 'tool_overrides'];

/** Settings without a field: text overrides from an earlier run. */
export function MoreSettings({ form: run, change, faultsAt }: Part) {
  const faults = [...IN_MORE.flatMap((key) => faultsAt(`/${key}`)), ...faultsAt('/more')];
  return (
    <details open={run.more !== '' || faults.length > 0}>
      <summary>Texts instead of the suite&apos;s</summary>
      <JsonText
        label="Texts as JSON"
        help="An object with base_prompt, tool_overrides or both. To reuse them, make a prompt version."
        faults={faults}
        value={run.more}
        change={(more) => change({ more })}
      />
    </details>
  );
}

interface JsonTextProps {
  label: string;
  help: string;
  faults: { path: string; message: string }[];
  value: string;
  change: (value: string) => void;
}

const JsonText = ({ label, help, faults, value, change }: JsonTextProps) => (
  <LabelledField label={label} help={help} faults={faults}>
    {(attributes) => (
      <textarea
        {...attributes}
        rows={3}
        className="code"
        spellCheck={false}
        value={value}
        onChange={({ target }) => change(target.value)}
      />
    )}
  </LabelledField>
);
