import { MAX_PROMPT_CHARS } from '#lib/contracts/values/runs';
import { LongTextField, NumberField, TextField } from '../../../../ui/form/fields';

/** All settings of a suite except tools and cases. */
export function SuiteFields({ isNew = false }: { isNew?: boolean }) {
  return (
    <>
      <TextField path={['name']} label="Name" maxLength={200} isRequired autoFocus={isNew} whenEmpty="" />
      <LongTextField path={['description']} label="Description" rows={2} maxLength={10_000} whenEmpty="" />
      <LongTextField
        path={['system_prompt']}
        label="System prompt"
        help="Sent before the prompt of every case."
        maxLength={MAX_PROMPT_CHARS}
        whenEmpty={null}
      />
      <NumberField
        path={['pass_threshold']}
        label="Pass threshold"
        help="Minimum overall score of a passed case, 0 to 1."
      />
    </>
  );
}
