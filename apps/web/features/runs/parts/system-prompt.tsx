import { isObject, type JsonObject } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { edit } from '../../../ui/form/edited';
import { ChoiceField, LongTextField } from '../../../ui/form/fields';
import { textsOf } from '../../../ui/form/form-request';
import { type At, pathOf, useField, useForm } from '../../../ui/form/json-form';
import { visible } from '../../../ui/user-text';

/**
 * The prompt that models get before each case, after the suite's own system prompt: null, a text, or a text for each
 * model. The form has the models as its `models`, and as its `typed_prompts`, which are not sent, what was typed
 * for a choice before another was made.
 */
export function SystemPrompt({ path }: { path: At }) {
  const { value, errors } = useField(path);
  const { edited, change } = useForm();
  const typed = useField('typed_prompts').value;
  const models = textsOf(useField('models').value);
  const kind = isObject(value) ? 'each' : value == null ? 'none' : 'all';
  const choose = (chosen: string): void => {
    const texts: JsonObject = { ...UNTYPED, ...(isObject(typed) && typed), [kind]: value ?? null };
    change(edit(edit(edited, pathOf(path), texts[chosen]), ['typed_prompts'], texts));
  };
  return (
    <>
      <ChoiceField
        path={path}
        label="System prompt"
        help="Added after the suite's own."
        options={KINDS}
        value={kind}
        onChoose={choose}
        isErrorElsewhere={kind === 'all' || (kind === 'each' && errors.every((error) => error.path !== ''))}
      />
      {kind === 'all' && <Prompt path={path} label="For all models" />}
      {kind === 'each' &&
        [...models, '*'].map((model) => (
          <Prompt
            key={model}
            path={[...pathOf(path), model]}
            label={model === '*' ? 'For the other models' : `For ${visible(model.slice(0, 200))}`}
          />
        ))}
    </>
  );
}

const Prompt = (labelled: { path: At; label: string }) => (
  <LongTextField {...labelled} maxLength={MAX_PROMPT_CHARS} whenEmpty="" />
);

const UNTYPED = { none: null, all: '', each: {} };
const KINDS = [
  ['none', 'none'],
  ['all', 'one for all models'],
  ['each', 'one for each model'],
] as const;
