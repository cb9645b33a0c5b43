import type { Provider } from '#lib/contracts/provider';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { forgetLearned } from '../api';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/allowed-button';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText } from '../../../ui/user-text';
import { Time } from '../../../ui/time';
import { Table } from '../../../ui/table';

/** Settings that the provider's models refused within the last day. Servers of earlier releases do not report them. */
export function LearnedSettings({ provider: { key, learned = [] } }: { provider: Provider }) {
  const refusal = useRefusal('owner');
  const forget = useAction(forgetLearned, () => queryClient.invalidateQueries({ queryKey: keys.providers }));
  if (learned.length === 0) return null;
  return (
    <section aria-labelledby="learned" className="section">
      <h2 id="learned">Refused settings</h2>
      <p className="muted small">Learned from its replies and retried after a day. Runs show what is sent instead.</p>
      <LearnedTable learned={learned} />
      <div className="actions">
        <AllowedButton refusal={refusal} disabled={forget.isPending} onClick={() => forget.mutate(key)}>
          Forget all
        </AllowedButton>
      </div>
      {forget.isError && <ErrorNotice error={forget.error} />}
    </section>
  );
}

const LearnedTable = ({ learned = [] }: Pick<Provider, 'learned'>) => (
  <Table
    label="List of refused settings"
    rows={learned}
    keyOf={({ model, setting }) => `${model} ${setting}`}
    columns={[
      { name: 'Model', isHeading: true, cell: ({ model }) => <UserText text={model} max={200} /> },
      { name: 'Setting', cell: ({ setting }) => <code>{setting}</code> },
      { name: 'Sent instead', cell: ({ sent }) => sent },
      { name: 'Error message', cell: ({ said }) => <UserText text={said} max={300} /> },
      { name: 'Until', cell: ({ until }) => <Time at={until} /> },
    ]}
  />
);
