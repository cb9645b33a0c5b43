import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toText } from '#lib/contracts/json/json';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { ChoiceField } from '../../../ui/form/fields';
import { type At, LabelledField, useField } from '../../../ui/form/json-form';
import { createExperiment, experimentsOfSuiteQuery } from '../api';

/** The experiment of the new job: none, an existing one, or a new one. The form has the suite as its `suite_id`. */
export function ChooseExperiment({ path }: { path: At }) {
  const suite = toText(useField('suite_id').value ?? '');
  const { refusal, set } = useField(path);
  const { data } = useQuery(experimentsOfSuiteQuery(suite));
  const [isNew, setNew] = useState(false);
  return (
    <>
      <ChoiceField
        path={path}
        label="Experiment"
        help="Runs of an experiment are compared with its baseline."
        none="none"
        whenEmpty={null}
        options={(data?.items ?? []).map(({ id, name }) => [id, name])}
        isDisabled={suite === ''}
        className="bounded"
      >
        {!isNew && suite !== '' && (
          <AllowedButton refusal={refusal} onClick={() => setNew(true)}>
            New experiment
          </AllowedButton>
        )}
      </ChoiceField>
      {isNew && (
        <NewExperiment
          suiteId={suite}
          onMade={(experiment, ofSuite) => ofSuite === suite && set(experiment)}
          close={() => setNew(false)}
        />
      )}
    </>
  );
}

interface NewProps {
  suiteId: string;
  /** Called with the suite of the experiment, since another suite may have been chosen by then. */
  onMade: (id: string, suiteId: string) => void;
  close: () => void;
}

function NewExperiment({ suiteId, onMade, close }: NewProps) {
  const [name, setName] = useState('');
  const create = useAction(createExperiment, async ({ id }, { suite_id: ofSuite }) => {
    onMade(id, ofSuite);
    close();
    await queryClient.invalidateQueries({ queryKey: keys.experiments });
  });
  return (
    <LabelledField label="Name of the experiment" faults={[]}>
      {(attributes) => (
        <>
          <div className="actions">
            <input
              {...attributes}
              autoFocus
              dir="auto"
              maxLength={200}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
            <button
              type="button"
              disabled={name.trim() === '' || create.isPending}
              onClick={() => create.mutate({ name: name.trim(), suite_id: suiteId })}
            >
              Create
            </button>
            <button type="button" className="plain" onClick={close}>
              Cancel
            </button>
          </div>
          {create.isError && <ErrorNotice error={create.error} />}
        </>
      )}
    </LabelledField>
  );
}
