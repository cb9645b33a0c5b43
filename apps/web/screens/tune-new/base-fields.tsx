import { useState } from 'react';
import { isObject, toText, type Json } from '#lib/contracts/json/json';
import { pointerOf } from '../../parts/form/edited';
import { ChoiceField, JsonField, NumberField } from '../../parts/form/fields';
import { useField } from '../../parts/form/form';
import { SystemPrompt, type Prompts } from '../../parts/set-up/system-prompt';
import { textsOf } from './tune-value';

const TOOL_CHOICES = [
  ['required', 'required: must call a tool'],
  ['auto', 'auto: may call a tool'],
  ['none', 'none: must not'],
] as const;

/** The settings that every combination is compared with. */
export function BaseFields() {
  const params = useField(['base', 'params']);
  const [isOpen, setOpen] = useState(false);
  const hasParams = isObject(params.value) && Object.keys(params.value).length > 0;
  const isShown = isOpen || hasParams || params.unread !== undefined || params.errors.length > 0;
  return (
    <fieldset>
      <legend>Base</legend>
      <p className="muted small">
        What you use today. It is one of the combinations, and the others are compared with it.
      </p>
      <div className="in-row">
        <NumberField path={['base', 'temperature']} label="Temperature" />
        <ChoiceField path={['base', 'tool_choice']} label="Tool choice" options={TOOL_CHOICES} />
        <NumberField path={['base', 'max_tokens']} label="Tokens of a reply, at most" />
      </div>
      <BasePrompt />
      {isShown ? (
        <JsonField
          path={['base', 'params']}
          label="Parameters of the provider"
          help='A JSON object that each request has, such as {"top_p": 0.9}.'
          isOptional
          rows={3}
        />
      ) : (
        <div className="actions">
          <button type="button" onClick={() => setOpen(true)}>
            Parameters of the provider
          </button>
        </div>
      )}
    </fieldset>
  );
}

function BasePrompt() {
  const { value, errors, set } = useField(['base', 'system_prompt']);
  const models = textsOf(useField(['models']).value);
  const form: Prompts = {
    models,
    promptFor: isObject(value) ? 'each' : value == null ? 'none' : 'all',
    prompt: typeof value === 'string' ? value : '',
    prompts: isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toText(one)])) : {},
  };
  return (
    <SystemPrompt
      form={form}
      change={(change) => set(promptOf({ ...form, ...change }))}
      faultsAt={() => errors.map(({ path, message }) => ({ path: `${pointerOf(['system_prompt'])}${path}`, message }))}
    />
  );
}

function promptOf({ promptFor, prompt, prompts }: Prompts): Json {
  if (promptFor === 'none') return null;
  return promptFor === 'all' ? prompt : prompts;
}
