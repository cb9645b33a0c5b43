import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { LabelledField, type FormPart } from '../../../ui/form/labelled-field';
import { visible } from '../../../ui/user-text';

/** The models, as `provider_key::model_id`, and the prompt for each, as typed. */
export interface Prompts {
  models: string[];
  promptFor: 'none' | 'all' | 'each';
  prompt: string;
  prompts: Record<string, string>;
}

/** The prompt that models get before each case, after the suite's own system prompt. */
export function SystemPrompt({ form, change, faultsAt }: FormPart<Prompts>) {
  const faults = faultsAt('/system_prompt');
  return (
    <>
      <LabelledField
        label="System prompt"
        help="Added after the suite's own."
        faults={form.promptFor === 'none' ? faults : []}
      >
        {(attributes) => (
          <select
            {...attributes}
            value={form.promptFor}
            onChange={({ target }) => change({ promptFor: target.value as Prompts['promptFor'] })}
          >
            <option value="none">none</option>
            <option value="all">one for all models</option>
            <option value="each">one for each model</option>
          </select>
        )}
      </LabelledField>
      {form.promptFor === 'all' && (
        <Prompt label="For all models" text={form.prompt} faults={faults} onChange={(prompt) => change({ prompt })} />
      )}
      {form.promptFor === 'each' &&
        [...form.models, '*'].map((model) => (
          <Prompt
            key={model}
            label={model === '*' ? 'For the other models' : `For ${visible(model.slice(0, 200))}`}
            text={form.prompts[model] ?? ''}
            faults={faults.filter(({ path }) => path === '/system_prompt' || path === pointerTo(model))}
            onChange={(prompt) => change({ prompts: { ...form.prompts, [model]: prompt } })}
          />
        ))}
    </>
  );
}

const pointerTo = (model: string): string => `/system_prompt/${model.replaceAll('~', '~0').replaceAll('/', '~1')}`;

interface PromptProps {
  label: string;
  text: string;
  faults: { path: string; message: string }[];
  onChange: (text: string) => void;
}
const Prompt = ({ label, text, faults, onChange }: PromptProps) => (
  <LabelledField label={label} faults={faults}>
    {(attributes) => (
      <textarea
        {...attributes}
        dir="auto"
        rows={4}
        maxLength={MAX_PROMPT_CHARS}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </LabelledField>
);
