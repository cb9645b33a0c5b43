import { useQuery } from '@tanstack/react-query';
import { suiteHeadsQuery } from '../../api/suite-heads';
import { Failed } from '../../parts/failed';
import { visible } from '../../parts/given';
import { LabelledField, type FormPart } from './labelled-field';

export function ChooseSuite({ run, change, faultsAt }: FormPart) {
  const { data, error, refetch } = useQuery(suiteHeadsQuery);
  const chosen = data?.items.find(({ id }) => id === run.suite);
  return (
    <LabelledField
      label="Suite"
      help={chosen && `Version ${chosen.version}, with ${chosen.test_cases_count} cases.`}
      faults={faultsAt('/suite_id')}
    >
      {(attributes) => (
        <>
          {error && <Failed error={error} retry={() => refetch()} />}
          <select
            {...attributes}
            value={run.suite}
            onChange={({ target }) => change({ suite: target.value, experiment: '' })}
          >
            <option value="">choose</option>
            {run.suite !== '' && !chosen && <option value={run.suite}>{run.suite}</option>}
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
