import { LabelledField, type FormPart } from '../../../../ui/form/labelled-field';
import { SelectField, TypedField } from '../../../../ui/form/typed-field';
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

/** What a field needs to edit one of the texts of the form. */
const textAt = ({ form, change, faultsAt }: Part, key: TextKey, path: string, otherwise = '') => ({
  faults: faultsAt(path),
  value: form[key] ?? otherwise,
  change: (text: string) => change({ [key]: text } as Partial<NewRun>),
});
type TextKey = { [Key in keyof NewRun]-?: NewRun[Key] extends string | undefined ? Key : never }[keyof NewRun];

export const Settings = (part: Part) => (
  <div className="in-row">
    <TypedField
      {...textAt(part, 'samples', '/samples')}
      label="Samples"
      help="How often each case runs."
      mode="numeric"
    />
    <TypedField {...textAt(part, 'temperature', '/temperature')} label="Temperature" mode="decimal" />
    <SelectField {...textAt(part, 'toolChoice', '/tool_choice')} label="Tool choice" options={TOOL_CHOICES} />
  </div>
);

const Caches = (part: Part) => (
  <>
    <SelectField
      {...textAt(part, 'cache', '/cache')}
      label="Stored replies"
      help="Automatic: used at temperature 0 with one sample."
      options={CACHE_MODES}
    />
    <SelectField
      {...textAt(part, 'promptCache', '/prompt_cache', 'off')}
      label="Provider cache"
      help="Caches tools and system prompt. Anthropic bills more for cache writes and less for cache reads."
      options={PROMPT_CACHE_MODES}
    />
  </>
);

/** The cases, and the request settings. */
export const Requests = (part: Part) => (
  <fieldset>
    <legend>Cases and requests</legend>
    <div className="in-row">
      <TypedField
        {...textAt(part, 'tags', '/case_filter/tags')}
        label="Only cases with tags"
        help="Any of these, comma-separated. Empty: all."
      />
      <TypedField
        {...textAt(part, 'category', '/case_filter')}
        label="Only cases of a category"
        faults={part.faultsAt('/case_filter').filter(({ path }) => !path.startsWith('/case_filter/tags'))}
      />
    </div>
    <div className="in-row">
      <TypedField
        {...textAt(part, 'maxTokens', '/max_tokens')}
        label="Maximum reply tokens"
        help="Empty: the limit of the experiment's baseline, or no limit. none: no limit."
        mode="numeric"
      />
      <TypedField {...textAt(part, 'timeout', '/timeout_s')} label="Request timeout in seconds" mode="decimal" />
      <SelectField {...textAt(part, 'modelOrder', '/model_order')} label="Model order" options={MODEL_ORDERS} />
      <Caches {...part} />
    </div>
    <JsonText
      {...textAt(part, 'params', '/params')}
      label="Provider parameters"
      help={'A JSON object added to each request, such as {"top_p": 0.9}. Optional.'}
    />
  </fieldset>
);

export const NameAndNoteFields = (part: Part) => (
  <>
    <TypedField {...textAt(part, 'name', '/name')} label="Name" help="Display name. Optional." maxLength={200} />
    <LabelledField label="Note" help="What the run tries, and why. Optional." faults={part.faultsAt('/note')}>
      {(attributes) => (
        <textarea
          {...attributes}
          dir="auto"
          rows={2}
          maxLength={2000}
          value={part.form.note}
          onChange={({ target }) => part.change({ note: target.value })}
        />
      )}
    </LabelledField>
  </>
);

export const Limits = (part: Part) => (
  <div className="in-row">
    <TypedField
      {...textAt(part, 'maxCost', '/budget/max_cost_usd')}
      label="Maximum cost in US dollars"
      help="The run stops there and keeps its results. Empty: no limit."
      mode="decimal"
      size={10}
    />
    <TypedField
      {...textAt(part, 'maxRequests', '/budget/max_requests')}
      label="Maximum requests"
      mode="numeric"
      size={10}
    />
  </div>
);

const IN_MORE = ['base_prompt', 'tool_overrides'];

/** Settings without a field: text overrides from an earlier run. */
export function MoreSettings(part: Part) {
  const faults = [...IN_MORE.flatMap((key) => part.faultsAt(`/${key}`)), ...part.faultsAt('/more')];
  return (
    <details open={part.form.more !== '' || faults.length > 0}>
      <summary>Texts instead of the suite&apos;s</summary>
      <JsonText
        {...textAt(part, 'more', '/more')}
        label="Texts as JSON"
        help="An object with base_prompt, tool_overrides or both. To reuse them, make a prompt version."
        faults={faults}
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
