import { LabelledField, type FormPart } from './labelled-field';
import { visible } from '../../parts/given';
import type { NewRun } from './new-run';

const MAX_LENGTH = 50_000;

/** What is said to models before each case, after the suite's own system prompt. */
export function SystemPrompt({ run, change, faultsAt }: FormPart) {
  const faults = faultsAt('/system_prompt');
  return (
    <>
      <LabelledField
        label="System prompt"
        help="It follows the suite's own."
        faults={run.promptFor === 'none' ? faults : []}
      >
        {(attributes) => (
          <select
            {...attributes}
            value={run.promptFor}
            onChange={({ target }) => change({ promptFor: target.value as NewRun['promptFor'] })}
          >
            <option value="none">none</option>
            <option value="all">one for all models</option>
            <option value="each">one for each model</option>
          </select>
        )}
      </LabelledField>
      {run.promptFor === 'all' && (
        <Prompt label="For all models" text={run.prompt} faults={faults} onChange={(prompt) => change({ prompt })} />
      )}
      {run.promptFor === 'each' &&
        [...run.models, '*'].map((model) => (
          <Prompt
            key={model}
            label={model === '*' ? 'For the other models' : `For ${visible(model.slice(0, 200))}`}
            text={run.prompts[model] ?? ''}
            faults={faults.filter(({ path }) => path === '/system_prompt' || path === pointerTo(model))}
            onChange={(prompt) => change({ prompts: { ...run.prompts, [model]: prompt } })}
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
        maxLength={MAX_LENGTH}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </LabelledField>
);
