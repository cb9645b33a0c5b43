import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Experiment } from '#lib/contracts/experiment';
import { toText } from '#lib/contracts/json/json';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { count } from '../../../ui/amounts';
import { AllowedButton } from '../../../ui/buttons';
import { useLookup, type Option } from '../../../ui/combobox';
import { ErrorNotice } from '../../../ui/notices';
import { type At, LabelledField, useField } from '../../../ui/form/json-form';
import { PickField } from '../../../ui/form/pick-field';
import { relativeTime } from '../../../ui/time';
import { createExperiment, experimentChoicesQuery, experimentQuery } from '../api';

/** The experiment of the new job: none, an existing one, or a new one. The form has the suite as its `suite_id`. */
export function ChooseExperiment({ path }: { path: At }) {
  const suite = toText(useField('suite_id').value ?? '');
  const { value, refusal, set } = useField(path);
  const chosen = toText(value ?? '');
  const { data } = useQuery({ ...experimentQuery(chosen), enabled: chosen !== '', retry: false });
  const [isNew, setNew] = useState(false);
  return (
    <>
      <PickField
        path={path}
        label="Experiment"
        help="Runs of an experiment are compared with its baseline."
        none="none"
        whenEmpty={null}
        lookup={useLookup((name) => experimentChoicesQuery(suite, name), optionOf)}
        nameOf={() => data?.name ?? 'unknown experiment'}
        isDisabled={suite === ''}
      >
        {!isNew && suite !== '' && (
          <AllowedButton refusal={refusal} onClick={() => setNew(true)}>
            New experiment
          </AllowedButton>
        )}
      </PickField>
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

const optionOf = ({ id, name, run_count: runs, created_at: created }: Experiment): Option => ({
  value: id,
  name,
  detail: `${runs === 1 ? '1 run' : `${count(runs)} runs`} · ${relativeTime(new Date(created))}`,
});

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
