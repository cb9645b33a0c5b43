import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import { refreshWork } from '../../../../api/query-client';
import { EstimatedForm } from '../../../../ui/form/estimated-form';
import { Skeleton } from '../../../../ui/query-boundary';
import { newestRunQuery, runEstimateQuery, runQuery, submitRun } from '../../api';
import { EstimateFigures } from '../../parts/estimate-figures';
import { emptyRun, fromRun, requestOf } from './new-run';
import { RunFields } from './run-fields';

/** A new run, with its estimate before it starts. */
export function RunNewScreen() {
  const { suite = '', prompt = '', from, tool_choice: toolChoice } = useSearch({ from: '/signed-in/runs/new' });
  const empty = useMemo(() => emptyRun(suite, prompt), [suite, prompt]);
  const name = `run to start ${suite} ${prompt} ${from ?? ''} ${toolChoice ?? ''}`;
  return (
    <>
      <h1>New run</h1>
      {from !== undefined ? (
        <RunAgain key={name} {...{ name, from, toolChoice }} />
      ) : suite === '' ? (
        <RunForm key={name} name={name} initial={empty} />
      ) : (
        <RunOfSuite key={name} {...{ name, suite, empty }} />
      )}
    </>
  );
}

function RunAgain({ name, from, toolChoice }: { name: string; from: string; toolChoice: string | undefined }) {
  const { data: earlier } = useSuspenseQuery(runQuery(from));
  const initial = useMemo(
    () => ({ ...fromRun(earlier), ...(toolChoice && { tool_choice: toolChoice }) }),
    [earlier, toolChoice],
  );
  return <RunForm name={name} initial={initial} />;
}

/** A suite is usually run again with the same models. They are chosen by hand if they cannot be read. */
function RunOfSuite({ name, suite, empty }: { name: string; suite: string; empty: JsonObject }) {
  const { data, isPending } = useQuery(newestRunQuery(suite));
  const newest = data?.items[0];
  const initial = useMemo(() => (newest ? { ...empty, models: fromRun(newest).models! } : empty), [newest, empty]);
  return isPending ? <Skeleton rows={12} /> : <RunForm name={name} initial={initial} />;
}

function RunForm({ name, initial }: { name: string; initial: JsonObject }) {
  const navigate = useNavigate();
  return (
    <EstimatedForm
      name={name}
      initial={initial}
      requestOf={requestOf}
      estimateOf={runEstimateQuery}
      figures={(estimate, missing) => <EstimateFigures estimate={estimate} missing={missing} />}
      send={submitRun}
      onDone={({ eval_id: runId }) => {
        void refreshWork();
        return navigate({ to: '/runs/$runId', params: { runId } });
      }}
      action="Run"
    >
      <RunFields />
    </EstimatedForm>
  );
}
