import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Experiment, RunBestInput } from '#lib/contracts/experiment';
import { useAction } from '../../../../api/action';
import { runBest } from '../../api';
import { refreshWork } from '../../../../api/refresh';
import { FormDialog } from '../../../../ui/dialog';
import { TypedField } from '../../../../ui/form/typed-field';

/** Submits the best settings again, optionally with more samples or another limit. */
export function RunBestDialog({ experiment, close }: { experiment: Experiment; close: () => void }) {
  const navigate = useNavigate();
  const [samples, setSamples] = useState('');
  const [cost, setCost] = useState('');
  const submit = useAction(runBest, async ({ eval_id: runId }) => {
    await navigate({ to: '/runs/$runId', params: { runId } });
    await refreshWork();
  });
  const send = (): void => {
    const input = {
      ...(samples.trim() && { samples: numberOrText(samples) }),
      ...(cost.trim() && { budget: { max_cost_usd: numberOrText(cost) } }),
    } as RunBestInput;
    submit.mutate({ id: experiment.id, input });
  };
  return (
    <FormDialog title="Run the best configuration again" action="Run" sending={submit} send={send} close={close}>
      <p>
        Submits its settings as a new run of the experiment. The best of many scores is partly luck; a new run is an
        independent check.
      </p>
      <TypedField label="Samples per case" help={HELP} value={samples} change={setSamples} {...NUMBER} />
      <TypedField label="Maximum cost in US dollars" help={HELP} value={cost} change={setCost} {...NUMBER} />
    </FormDialog>
  );
}

const HELP = "Leave empty to keep the run's value.";
const NUMBER = { mode: 'decimal' as const, maxLength: 20, faults: [] };

/** Input that is not a number is sent unchanged: the API reports the fault. */
const numberOrText = (typed: string): number | string => (Number.isFinite(Number(typed)) ? Number(typed) : typed);
