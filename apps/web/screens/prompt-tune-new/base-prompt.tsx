import { isObject } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { JsonField, LongTextField } from '../../parts/form/fields';
import { useField } from '../../parts/form/form';
import { LabelledField } from '../../parts/set-up/labelled-field';
import { More } from '../../parts/set-up/more';

/** The baseline texts. An empty system prompt counts as one, too. */
export function BasePrompt() {
  const prompt = useField(['base', 'system_prompt']);
  const tools = useField(['base', 'tools']);
  const isOwn = typeof prompt.value === 'string';
  const hasTools = isObject(tools.value) && Object.keys(tools.value).length > 0;
  return (
    <fieldset>
      <legend>Base</legend>
      <p className="muted small">
        The texts to begin with. They compete like any other, and the best is compared with them.
      </p>
      <LabelledField label="System prompt to begin with" faults={isOwn ? [] : prompt.errors}>
        {(attributes) => (
          <select
            {...attributes}
            disabled={prompt.refusal !== undefined}
            title={prompt.refusal}
            value={isOwn ? 'own' : 'suite'}
            onChange={({ target }) => prompt.set(target.value === 'own' ? '' : null)}
          >
            <option value="suite">that of the suite</option>
            <option value="own">another, or none</option>
          </select>
        )}
      </LabelledField>
      {isOwn && (
        <LongTextField
          path={['base', 'system_prompt']}
          label="Text of the system prompt"
          help="Empty: models are told nothing before the case."
          maxLength={MAX_PROMPT_CHARS}
          whenEmpty=""
        />
      )}
      <More
        words="Other descriptions of tools"
        isNeeded={hasTools || tools.unread !== undefined || tools.errors.length > 0}
      >
        <JsonField
          path={['base', 'tools']}
          label="Other descriptions of tools"
          help={'By place: {"tools/get_weather/description": "..."}. Those that are left out are the suite\'s.'}
          isOptional
          rows={4}
        />
      </More>
    </fieldset>
  );
}
