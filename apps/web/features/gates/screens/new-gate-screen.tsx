import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Head } from '../../../ui/head';
import { Form } from '../../../ui/form/form';
import { TextField } from '../../../ui/form/fields';
import { useForm } from '../../../ui/form/json-form';
import { ChooseSuite } from '../../suites/parts/choose-suite';
import { createGate, refreshGates } from '../api';
import { emptyGate, gateRequest } from '../parts/gate-value';
import css from '../parts/gates.module.css';
import { GateFields, suiteOf } from './gate-fields';

const TRAIL = [{ to: '/gates', label: 'Gates' }] as const;

/** The rules by which a change may ship, set before anything is measured. */
export function NewGateScreen() {
  const navigate = useNavigate();
  const { suite = '', baseline } = useSearch({ from: '/signed-in/gates/new' });
  return (
    <>
      <Head title="New gate" trail={TRAIL} />
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
