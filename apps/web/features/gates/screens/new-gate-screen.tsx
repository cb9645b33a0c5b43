import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Json } from '#lib/contracts/json/json';
import { useAction } from '../../../api/action';
import { createGate, refreshGates } from '../api';
import { useRefusal } from '../../../api/session';
import { useDraft } from '../../../ui/draft';
import { DraftForm } from '../../../ui/form/draft-form';
import type { Edited } from '../../../ui/form/edited';
import { TextField } from '../../../ui/form/fields';
import { SuiteField } from '../../suites/parts/suite-field';
import { GateFields, suiteOf } from './gate-fields';
import { emptyGate, gateRequest } from './gate-value';
import '../../../ui/form/set-up.css';
import './gate.css';

/** The rules by which a change may ship, set before anything is measured. */
export function NewGateScreen() {
  const navigate = useNavigate();
  const { suite = '', baseline } = useSearch({ from: '/signed-in/gates/new' });
  const refusal = useRefusal('editor');
  const initial = useMemo<Edited>(() => ({ value: emptyGate(suite, baseline), unread: {} }), [suite, baseline]);
  const draft = useDraft(`new gate ${suite} ${baseline ?? ''}`, initial);
  const create = useAction(
    (input: Json, options) => createGate(gateRequest(input), options),
    async ({ id }) => {
      draft.clear();
      void refreshGates();
      await navigate({ to: '/gates/$gateId', params: { gateId: id } });
    },
  );
  const send = (): void => {
    if (Object.keys(draft.value.unread).length === 0) create.mutate(draft.value.value);
  };
  return (
    <>
      <header>
        <h1>New gate</h1>
        <p>
          A gate decides whether a change may ship. It passes if a run is shown not to be worse than the baseline by
          more than the margin.
        </p>
      </header>
      <DraftForm {...{ draft, refusal, send }} saving={create} save="Create gate" className="fields gate-form">
        <TextField path={['name']} label="Name" maxLength={100} isRequired whenEmpty="" autoFocus />
        <SuiteField />
        <GateFields suite={suiteOf(draft.value.value)} />
      </DraftForm>
    </>
  );
}
