import { useQuery } from '@tanstack/react-query';
import { promptChoicesQuery } from '../../../prompts/api';
import { ErrorNotice } from '../../../../ui/error-notice';
import { visible } from '../../../../ui/user-text';
import { promptName } from '../../../prompts/parts/prompt-name';
import { LabelledField, type FormPart } from '../../../../ui/form/labelled-field';
import { withPromptVersion, type NewRun } from './new-run';

/** The texts that models get: the suite's, or those of a prompt version. */
export function ChoosePrompt({ form: run, change, faultsAt }: FormPart<NewRun>) {
  const { data, error, refetch } = useQuery(promptChoicesQuery(run.suite));
  const { promptVersion: chosen = '' } = run;
  const isListed = data?.items.some(({ id }) => id === chosen);
  return (
    <LabelledField
      label="Prompt version"
      help="Its texts replace the suite's. The suite does not change."
      faults={faultsAt('/prompt_version_id')}
    >
      {(attributes) => (
        <>
          {error && <ErrorNotice error={error} retry={() => refetch()} />}
          <select
            {...attributes}
            className="bounded"
            value={chosen}
            disabled={run.suite === ''}
            onChange={({ target }) => change(withPromptVersion(run, target.value))}
          >
            <option value="">the suite&apos;s texts</option>
            {chosen !== '' && !isListed && <option value={chosen}>{visible(chosen.slice(0, 100))}</option>}
            {data?.items.map((version) => (
              <option key={version.id} value={version.id}>
                {visible(promptName(version))}
              </option>
            ))}
          </select>
        </>
      )}
    </LabelledField>
  );
}
