import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isObject, type JsonObject } from '#lib/contracts/json/json';
import type { Run } from '#lib/contracts/run';
import { refreshWork } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { count, money } from '../../../ui/amounts';
import { AllowedButton } from '../../../ui/buttons';
import { FormDialog } from '../../../ui/form/form-dialog';
import { useForm } from '../../../ui/form/json-form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { isUnderWay } from '../../../ui/status';
import { duration } from '../../../ui/time';
import { addSamples, runQuery } from '../api';
import { costOfSamples } from './cost-of-samples';

/** Why no samples can be added to the run; undefined when they can. */
function whyNoSamples(run: Run): string | undefined {
  if (isUnderWay(run.status)) return 'Samples can be added when the run has ended.';
  if (run.config.recorded !== undefined) return 'The replies were made elsewhere.';
  return run.extends_run_id === null ? undefined : 'It adds samples to another run. Add them to that one.';
}

/** A button that opens the form. @param run the run, or its id where only that is known */
export function AddSamples({ run, className = 'dense' }: { run: Run | string; className?: string }) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('editor');
  const isId = typeof run === 'string';
  const { data } = useQuery({ ...runQuery(isId ? run : run.id), enabled: isId, retry: false });
  const known = isId ? data : run;
  return (
    <>
      <AllowedButton
        className={className}
        refusal={refusal ?? (known && whyNoSamples(known))}
        disabled={known === undefined}
        onClick={() => setOpen(true)}
      >
        Add samples
      </AllowedButton>
      {isOpen && known && <AddSamplesDialog run={known} close={() => setOpen(false)} />}
    </>
  );
}

/** More samples of each case, with the settings of the run. Comparisons and gates read them with the first ones. */
export const AddSamplesDialog = ({ run, close }: { run: Run; close: () => void }) => (
  <FormDialog<JsonObject>
    title="Add samples"
    action="Add"
    initial={ONE_MORE}
    send={({ samples }, options) => addSamples({ id: run.id, samples: Number(samples) }, options)}
    onDone={() => {
      close();
      return refreshWork(run.id);
    }}
    close={close}
  >
    <Fields of={SAMPLES} />
    <Cost run={run} />
  </FormDialog>
);

const ONE_MORE: JsonObject = { samples: 2 };
const SAMPLES: FormSchema = [
  { number: 'samples', label: 'Samples per case to add', help: 'From 1 to 100.', autoFocus: true },
];

/** What the samples will take, as the first ones did. */
function Cost({ run }: { run: Run }) {
  const { value } = useForm().edited;
  const { requests, usd, ms } = costOfSamples(run, isObject(value) ? Number(value.samples) : NaN);
  return (
    <p className="muted" aria-live="polite">
      About {count(requests)} {requests === 1 ? 'request' : 'requests'}, {usd === null ? 'no price' : money(usd)}
      {ms !== null && `, ${duration(ms)}`}
    </p>
  );
}
