import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useId } from 'react';
import type { Gate, GateRun } from '#lib/gate/contract';
import { Combobox, useLookup } from '../../../ui/combobox';
import { Empty } from '../../../ui/empty';
import { List } from '../../../ui/list';
import { QueryBoundary, Section } from '../../../ui/query-boundary';
import { Status } from '../../../ui/status';
import type { Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { runQuery, runsQuery } from '../../runs/api';
import { runOption } from '../../runs/parts/choose-run';
import { runName, shortRunName } from '../../runs/parts/run-link';
import { checkQuery, gateQuery, gateRunsQuery } from '../api';
import { GateAnswerView } from '../parts/gate-answer';
import { GateResult } from '../parts/gate-result';
import { answerWords } from '../parts/gate-words';
import css from '../parts/gates.module.css';
import { GateHead } from './gate-head';
import { RunGateForm } from './run-gate-form';

/** The rules of a gate, its runs, and a form for a new one. */
export function GateScreen() {
  const { gateId } = useParams({ from: '/signed-in/gates/$gateId' });
  const { data: gate } = useSuspenseQuery(gateQuery(gateId));
  return (
    <>
      <GateHead key={gate.id} gate={gate} />
      <RunGateForm key={`run ${gate.id}`} gate={gate} />
      <GateCheck gate={gate} />
      <GateRuns gate={gate} />
    </>
  );
}

const SHOWN = 20;

/** The gate's decision on an existing run. Calls no model. */
function GateCheck({ gate: { id, suite_id: suite } }: { gate: Gate }) {
  const { check } = useSearch({ from: '/signed-in/gates/$gateId' });
  const navigate = useNavigate();
  const named = useQuery({ ...runQuery(check ?? ''), enabled: check !== undefined, retry: false });
  const lookup = useLookup((q) => runsQuery({ suite, q, statuses: ['completed'], limit: SHOWN }), runOption);
  const field = useId();
  const choose = (run: string): void =>
    void navigate({ to: '/gates/$gateId', params: { gateId: id }, search: { check: run || undefined } });
  return (
    <section aria-labelledby="check" className="section">
      <h2 id="check">Check a run</h2>
      <div className="field">
        <label className="label" htmlFor={field}>
          Run of the suite
        </label>
        <Combobox
          lookup={lookup}
          label="Run of the suite"
          value={check ?? ''}
          chosen={named.data ? runName(named.data) : check === undefined ? '' : shortRunName(check)}
          none="Choose a run"
          choose={choose}
          attributes={{ id: field }}
        />
      </div>
      {check !== undefined && (
        <QueryBoundary rows={5} label="Measuring">
          <CheckAnswer gateId={id} runId={check} />
        </QueryBoundary>
      )}
    </section>
  );
}

const CheckAnswer = ({ gateId, runId }: { gateId: string; runId: string }) => (
  <GateAnswerView answer={useSuspenseQuery(checkQuery(gateId, runId)).data} />
);

/** The gate's runs, newest first. */
function GateRuns({ gate: { id } }: { gate: Gate }) {
  const { after } = useSearch({ from: '/signed-in/gates/$gateId' });
  return (
    <Section id="gate-runs" title="Gate runs">
      <List
        label="List of gate runs"
        of="gate runs"
        query={{ ...gateRunsQuery(id, after), staleTime: 0 }}
        after={after}
        height={4}
        className="run-rows"
        keyOf={({ id: run }) => run}
        columns={RUN_COLUMNS}
        empty={<Empty>No gate runs yet.</Empty>}
      />
    </Section>
  );
}

const MAX_TEXT = 300;
const RUN_COLUMNS: Column<GateRun>[] = [
  {
    name: 'Submitted',
    cell: ({ id, gate_id: gateId, created_at: at }) => (
      <Link to="/gates/$gateId/runs/$gateRunId" params={{ gateId, gateRunId: id }}>
        <Time at={at} />
      </Link>
    ),
  },
  {
    name: 'Result',
    cell: ({ result, status }) => (result ? <GateResult result={result.result} /> : <Status status={status} />),
  },
  { name: 'Version', isNumber: true, cell: (run) => run.gate_version },
  { name: 'Looks', isNumber: true, cell: ({ looks }) => looks.length },
  {
    name: 'Answer',
    className: css.says,
    cell: ({ result }) => result && <UserText text={answerWords(result)} max={MAX_TEXT} />,
  },
];
