import { useQuery } from '@tanstack/react-query';
import { suiteHeadsQuery } from '../api/suite-heads';
import { ErrorNotice } from '../../../ui/error-notice';
import { visible } from '../../../ui/user-text';
import { LabelledField, type FormPart } from '../../../ui/form/labelled-field';

export function ChooseSuite({ form, change, faultsAt }: FormPart<{ suite: string; experiment: string }>) {
  const { data, error, refetch } = useQuery(suiteHeadsQuery);
  const chosen = data?.items.find(({ id }) => id === form.suite);
  return (
    <LabelledField
      label="Suite"
      help={chosen && `Version ${chosen.version}, with ${chosen.test_cases_count} cases.`}
      faults={faultsAt('/suite_id')}
    >
      {(attributes) => (
        <>
          {error && <ErrorNotice error={error} retry={() => refetch()} />}
          <select
            {...attributes}
            value={form.suite}
            onChange={({ target }) => change({ suite: target.value, experiment: '' })}
          >
            <option value="">choose</option>
            {form.suite !== '' && !chosen && <option value={form.suite}>{form.suite}</option>}
            {data?.items.map(({ id, name }) => (
              <option key={id} value={id}>
                {visible(name)}
              </option>
            ))}
          </select>
        </>
      )}
    </LabelledField>
  );
}
