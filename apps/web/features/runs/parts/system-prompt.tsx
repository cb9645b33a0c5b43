import { useState } from 'react';
import { isObject, type Json } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { ChoiceField, LongTextField } from '../../../ui/form/fields';
import { textsOf } from '../../../ui/form/form-request';
import { type At, pathOf, useField } from '../../../ui/form/json-form';
import { visible } from '../../../ui/user-text';

type Kind = 'none' | 'all' | 'each';

/**
 * The prompt that models get before each case, after the suite's own system prompt: null, a text, or a text for each
 * model. The form has the models as its `models`.
 */
export function SystemPrompt({ path }: { path: At }) {
  const { value, errors, set } = useField(path);
  const models = textsOf(useField('models').value);
  const kind: Kind = isObject(value) ? 'each' : value == null ? 'none' : 'all';
  // What was typed for another choice is there when it is made again.
  const [typed, setTyped] = useState<Record<Kind, Json>>({ none: null, all: '', each: {} });
  const choose = (chosen: string): void => {
    setTyped({ ...typed, [kind]: value ?? null });
    set(typed[chosen as Kind]);
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

const KINDS = [
  ['none', 'none'],
  ['all', 'one for all models'],
  ['each', 'one for each model'],
] as const;
