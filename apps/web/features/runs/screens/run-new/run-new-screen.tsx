import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import { refreshWork } from '../../../../api/query-client';
import { EstimatedForm } from '../../../../ui/form/estimated-form';
import { Head } from '../../../../ui/head';
import { Skeleton } from '../../../../ui/query-boundary';
import { suiteQuery } from '../../../suites/api';
import { newestRunQuery, runEstimateQuery, runQuery, runsQuery, submitRun } from '../../api';
import { EstimateBar } from './estimate-bar';
import { emptyRun, fromRun, requestOf } from './new-run';
import { RunFields } from './run-fields';

const TRAIL = [{ to: '/runs', label: 'Runs' }] as const;

/** A new run, with its estimate before it starts. */
export function RunNewScreen() {
  const { suite = '', prompt = '', from, ...changes } = useSearch({ from: '/signed-in/runs/new' });
  const empty = useMemo(() => emptyRun(suite, prompt), [suite, prompt]);
  const name = `run to start ${suite} ${prompt} ${from ?? ''} ${Object.values(changes).join(' ')}`;
  return (
    <>
      <Head title="New run" trail={TRAIL} />
      {from !== undefined ? (
        <RunAgain key={name} {...{ name, from, changes }} />
      ) : suite === '' ? (
        <RunOfLastSuite key={name} name={name} />
      ) : (
        <RunOfSuite key={name} {...{ name, suite, empty }} />
      )}
    </>
  );
}

interface RunAgainProps {
  name: string;
  from: string;
  /** Settings that differ from those of the earlier run. */
  changes: { tool_choice?: string; cache?: string };
}

function RunAgain({ name, from, changes }: RunAgainProps) {
  const { data: earlier } = useSuspenseQuery(runQuery(from));
  const { tool_choice: choice, cache } = changes;
  const initial = useMemo(
    () => ({ ...fromRun(earlier), ...(choice && { tool_choice: choice }), ...(cache && { cache }) }),
    [earlier, choice, cache],
  );
  return <RunForm name={name} initial={initial} />;
}

/** A suite is usually run again with the same models. They are chosen by hand if they cannot be read. */
function RunOfSuite({ name, suite, empty }: { name: string; suite: string; empty: JsonObject }) {
  const { data, isPending } = useQuery(newestRunQuery(suite));
  const newest = data?.items[0];
  const initial = useMemo(() => (newest ? { ...empty, models: fromRun(newest).models! } : empty), [newest, empty]);
  return isPending ? <Skeleton rows={16} /> : <RunForm name={name} initial={initial} />;
}

/** Without a suite in the address, the one that ran last is chosen; its models are one click away. */
function RunOfLastSuite({ name }: { name: string }) {
  const { data: newest, isPending } = useQuery(runsQuery({ limit: 1 }));
  if (isPending) return <Skeleton rows={16} />;
  return <RunOfChosenSuite name={name} newest={newest?.items[0]?.suite.id ?? ''} />;
}

function RunOfChosenSuite({ name, newest }: { name: string; newest: string }) {
  // A run that somebody submits meanwhile changes nothing in the form that is open.
  const [last] = useState(newest);
  const { data: suite, isPending } = useQuery({ ...suiteQuery(last), enabled: last !== '', retry: false });
  const chosen = suite?.id ?? '';
  const initial = useMemo(() => emptyRun(chosen), [chosen]);
  return last !== '' && isPending ? <Skeleton rows={16} /> : <RunForm name={name} initial={initial} />;
}

function RunForm({ name, initial }: { name: string; initial: JsonObject }) {
  const navigate = useNavigate();
  return (
    <EstimatedForm
      name={name}
      initial={initial}
      requestOf={requestOf}
      estimateOf={runEstimateQuery}
      figures={(estimate, missing) => <EstimateBar estimate={estimate} missing={missing} />}
      send={submitRun}
      onDone={({ eval_id: runId }) => {
        void refreshWork();
        return navigate({ to: '/runs/$runId', params: { runId } });
      }}
      action="Run"
      isInBar
    >
      <RunFields />
    </EstimatedForm>
  );
}
