import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../../api/action';
import { createExperiment, experimentsOfSuiteQuery } from '../api';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/allowed-button';
import { ErrorNotice } from '../../../ui/error-notice';
import { visible } from '../../../ui/user-text';
import { LabelledField, type FormPart } from '../../../ui/form/labelled-field';

/** The experiment of the new job: none, an existing one, or a new one. */
export function ChooseExperiment({ form, change, faultsAt }: FormPart<{ suite: string; experiment: string }>) {
  const { data } = useQuery(experimentsOfSuiteQuery(form.suite));
  const [isNew, setNew] = useState(false);
  const refusal = useRefusal('editor');
  const isListed = data?.items.some(({ id }) => id === form.experiment);
  return (
    <>
      <LabelledField
        label="Experiment"
        help="Runs of an experiment are compared with its baseline."
        faults={faultsAt('/experiment_id')}
      >
        {(attributes) => (
          <div className="actions">
            <select
              {...attributes}
              className="bounded"
              value={form.experiment}
              disabled={form.suite === ''}
              onChange={({ target }) => change({ experiment: target.value })}
            >
              <option value="">none</option>
              {form.experiment !== '' && !isListed && <option value={form.experiment}>{form.experiment}</option>}
              {data?.items.map(({ id, name }) => (
                <option key={id} value={id}>
                  {visible(name)}
                </option>
              ))}
            </select>
            {!isNew && form.suite !== '' && (
              <AllowedButton refusal={refusal} onClick={() => setNew(true)}>
                New experiment
              </AllowedButton>
            )}
          </div>
        )}
      </LabelledField>
      {isNew && (
        <NewExperiment
          suiteId={form.suite}
          onMade={(experiment, suite) => suite === form.suite && change({ experiment })}
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
