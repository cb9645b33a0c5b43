import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Json, JsonObject } from '#lib/contracts/json/json';
import type { Gate } from '#lib/gate/contract';
import { changeGate, deleteGate, refreshGates } from '../api';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { CopiedId } from '../../../ui/buttons';
import { ConfirmDialog } from '../../../ui/dialog';
import { Head } from '../../../ui/head';
import { MenuItem } from '../../../ui/menu';
import { undo } from '../../../ui/undo';
import { Shown } from '../parts/sensitivity';
import { TextField } from '../../../ui/form/fields';
import type { Edited } from '../../../ui/form/edited';
import { Form } from '../../../ui/form/form';
import { valueOf, type FormRequest } from '../../../ui/form/form-request';
import { ruleWords } from '../parts/gate-words';
import { UserText } from '../../../ui/user-text';
import { RunLink } from '../../runs/parts/run-link';
import { SettingsList } from '../../../ui/details';
import { SuiteFact } from '../../suites/parts/suite-name';
import { GateFields } from './gate-fields';
import { gateChanges, editableGate } from '../parts/gate-value';
import css from '../parts/gates.module.css';

const TRAIL = [{ to: '/gates', label: 'Gates' }] as const;

export function GateHead({ gate }: { gate: Gate }) {
  const refusal = useRefusal('editor');
  const [isDeleting, setDeleting] = useState(false);
  const { id, name, version, suite_id: suiteId, suite_name: suite, sensitivity, margin } = gate;
  return (
    <section className="section" aria-label="The gate">
      <Head
        title={name}
        trail={TRAIL}
        badge={<span className="muted">version {version}</span>}
        status={
          <>
            <SuiteFact suiteId={suiteId} name={suite} />
            <Baseline gate={gate} />
            <CopiedId id={id} what="gate" />
          </>
        }
        menu={
          <MenuItem danger refusal={refusal} onSelect={() => setDeleting(true)}>
            Delete the gate
          </MenuItem>
        }
      />
      <SettingsList settings={ruleWords(gate)} />
      {sensitivity && <Shown sensitivity={sensitivity} margin={margin} />}
      <RulesForm gate={gate} />
      {isDeleting && <DeleteGate gate={gate} close={() => setDeleting(false)} />}
    </section>
  );
}

function Baseline({ gate: { baseline, baseline_eval_id: runId } }: { gate: Gate }) {
  return (
    <span>
      Baseline {runId === null ? 'none: nothing can be measured' : <RunLink runId={runId} />}
      {'experiment_id' in baseline && (
        <>
          {', of '}
          <Link to="/experiments/$experimentId" params={{ experimentId: baseline.experiment_id }}>
            its experiment
          </Link>
        </>
      )}
    </span>
  );
}

/** Nothing is sent without a change. */
function changesOf(edited: Edited, stored: JsonObject): FormRequest<JsonObject> {
  const request = valueOf<Json>(edited);
  if ('faults' in request) return request;
  const change = gateChanges(request.body, stored);
  return Object.keys(change).length > 0 ? { body: change } : { faults: [] };
}

/** A change of the rules creates a new version, which applies from the next run. */
function RulesForm({ gate }: { gate: Gate }) {
  const stored = useMemo(() => editableGate(gate), [gate]);
  return (
    <Form
      name={`gate ${gate.id}`}
      initial={stored}
      requestOf={(edited) => changesOf(edited, stored)}
      send={(change, options) => changeGate({ id: gate.id, change }, options)}
      onDone={refreshGates}
      summary="Edit name and rules"
      save="Save the gate"
      saved={({ version }) => `Saved: version ${version}.`}
      className={`fields ${css.form}`}
    >
      <TextField path="name" label="Name" maxLength={100} isRequired whenEmpty="" />
      <GateFields suite={gate.suite_id} />
    </Form>
  );
}

function DeleteGate({ gate: { id, name }, close }: { gate: Gate; close: () => void }) {
  const navigate = useNavigate();
  const remove = async (): Promise<void> => {
    await deleteGate(id);
    queryClient.removeQueries({ queryKey: keys.gate(id) });
    await refreshGates();
  };
  return (
    <ConfirmDialog
      title="Delete this gate?"
      action="Delete the gate"
      isPending={false}
      error={null}
      close={close}
      act={() => {
        close();
        undo.later({ id, text: `Gate ${name.slice(0, 100)} deleted.`, act: remove });
        void navigate({ to: '/gates' });
      }}
    >
      <p>
        <UserText text={name} max={100} />
      </p>
      <p>Its answers, its gate runs and the runs that they made go with it. Runs that are a baseline stay.</p>
    </ConfirmDialog>
  );
}
