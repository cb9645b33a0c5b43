import { isObject, toText, type Json } from '#lib/contracts/json/json';
import { pointerOf } from '../../../../ui/form/edited';
import { useField } from '../../../../ui/form/json-form';
import { ParamsField, RequestFields } from '../../parts/search-fields';
import { SystemPrompt, type Prompts } from '../../../runs/parts/system-prompt';
import { textsOf } from '../../../../ui/form/form-request';

/** The baseline settings of a tune. */
export function BaseFields() {
  return (
    <fieldset>
      <legend>Base</legend>
      <p className="muted small">
        Your current settings. They are one of the combinations, and the others are compared with them.
      </p>
      <RequestFields at={['base']} />
      <BasePrompt />
      <ParamsField at={['base']} />
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
