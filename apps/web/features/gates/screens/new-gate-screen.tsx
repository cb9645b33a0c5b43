import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Form } from '../../../ui/form/form';
import { TextField } from '../../../ui/form/fields';
import { useForm } from '../../../ui/form/json-form';
import { ChooseSuite } from '../../suites/parts/choose-suite';
import { createGate, refreshGates } from '../api';
import { emptyGate, gateRequest } from '../parts/gate-value';
import css from '../parts/gates.module.css';
import { GateFields, suiteOf } from './gate-fields';

/** The rules by which a change may ship, set before anything is measured. */
export function NewGateScreen() {
  const navigate = useNavigate();
  const { suite = '', baseline } = useSearch({ from: '/signed-in/gates/new' });
  return (
    <>
      <header>
        <h1>New gate</h1>
        <p>
          A gate decides whether a change may ship. It passes if a run is shown not to be worse than the baseline by
          more than the margin.
        </p>
      </header>
      <Form
        name={`new gate ${suite} ${baseline ?? ''}`}
        initial={useMemo(() => emptyGate(suite, baseline), [suite, baseline])}
        send={(gate, options) => createGate(gateRequest(gate), options)}
        onDone={({ id }) => {
          void refreshGates();
          return navigate({ to: '/gates/$gateId', params: { gateId: id } });
        }}
        save="Create gate"
        className={`fields ${css.form}`}
      >
        <TextField path="name" label="Name" maxLength={100} isRequired whenEmpty="" autoFocus />
        <ChooseSuite path="suite_id" />
        <Rules />
      </Form>
    </>
  );
}

const Rules = () => <GateFields suite={suiteOf(useForm().edited.value)} />;
