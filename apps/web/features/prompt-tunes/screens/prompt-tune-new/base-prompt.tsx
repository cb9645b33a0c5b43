import { isObject } from '#lib/contracts/json/json';
import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { JsonField, LongTextField } from '../../../../ui/form/fields';
import { useField } from '../../../../ui/form/json-form';
import { LabelledField } from '../../../../ui/form/labelled-field';
import { Expandable } from '../../../../ui/form/folded-fields';

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
        The starting texts. They compete with the candidates, and the best candidate is compared with them.
      </p>
      <LabelledField label="Starting system prompt" faults={isOwn ? [] : prompt.errors}>
        {(attributes) => (
          <select
            {...attributes}
            disabled={prompt.refusal !== undefined}
            title={prompt.refusal}
            value={isOwn ? 'own' : 'suite'}
            onChange={({ target }) => prompt.set(target.value === 'own' ? '' : null)}
          >
            <option value="suite">the suite&apos;s</option>
            <option value="own">custom or none</option>
          </select>
        )}
      </LabelledField>
      {isOwn && (
        <LongTextField
          path={['base', 'system_prompt']}
          label="System prompt text"
          help="Empty: no system prompt."
          maxLength={MAX_PROMPT_CHARS}
          whenEmpty=""
        />
      )}
      <Expandable
        words="Custom tool descriptions"
        isNeeded={hasTools || tools.unread !== undefined || tools.errors.length > 0}
      >
        <JsonField
          path={['base', 'tools']}
          label="Custom tool descriptions"
          help={'By path: {"tools/get_weather/description": "..."}. The others are the suite\'s.'}
          isOptional
          rows={4}
        />
      </Expandable>
    </fieldset>
  );
}
