import type { Provider } from '#lib/contracts/provider';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { ErrorNotice } from '../../../ui/notices';
import { DOWN, Mark, UP } from '../../../ui/status';
import { Table } from '../../../ui/table';
import { duration, Time } from '../../../ui/time';
import { UserBlock, UserText } from '../../../ui/user-text';
import { forgetLearned, testProvider, type ProviderTest } from '../api';

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keys.providers });

/** Sends a run's default request to the first model of the stored provider. */
export function TestProvider({ provider: { key, models } }: { provider: Provider }) {
  const refusal = useRefusal('editor');
  const test = useAction(testProvider, refresh);
  const [model] = models;
  return (
    <section aria-label="Connection test" className="section">
      <div className="actions">
        <AllowedButton refusal={refusal} disabled={!model || test.isPending} onClick={() => test.mutate(key)}>
          Test
        </AllowedButton>
        <span className="muted small">
          {model ? (
            <>
              One small request to <UserText text={model.id} max={200} />, as saved.
            </>
          ) : (
            'There is no model to test with.'
          )}
        </span>
      </div>
      <div role="status">
        {test.isPending && <span className="muted">Asking the model.</span>}
        {test.data && !test.isPending && <Answer {...test.data} />}
      </div>
      {test.isError && <ErrorNotice error={test.error} />}
    </section>
  );
}

function Answer({ ok, latency_ms: ms, error, learned = [] }: ProviderTest) {
  return (
    <>
      <Mark {...(ok ? UP : DOWN)}>{ok ? 'answers' : 'fails'}</Mark> after {duration(ms)}
      {error !== null && <UserBlock text={error} />}
      {learned.length > 0 && (
        <p className="muted small">
          It refuses these defaults of a run: {learned.map(({ setting, sent }) => `${setting} (${sent})`).join(', ')}.
        </p>
      )}
    </>
  );
}

/** Settings that the provider's models refused within the last day. Servers of earlier releases do not report them. */
export function LearnedSettings({ provider: { key, learned = [] } }: { provider: Provider }) {
  const refusal = useRefusal('owner');
  const forget = useAction(forgetLearned, refresh);
  if (learned.length === 0) return null;
  return (
    <section aria-labelledby="learned" className="section">
      <h2 id="learned">Refused settings</h2>
      <p className="muted small">Learned from its replies, and tried again after a day.</p>
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
