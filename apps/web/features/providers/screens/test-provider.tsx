import type { Provider } from '#lib/contracts/provider';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useAction } from '../../../api/action';
import { testProvider, type ProviderTest } from '../api';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/allowed-button';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText, UserBlock } from '../../../ui/user-text';
import { DOWN, Mark, UP } from '../../../ui/status';
import { duration } from '../../../ui/time';

/** Sends a run's default request to the first model of the stored provider. */
export function TestProvider({ provider: { key, models } }: { provider: Provider }) {
  const refusal = useRefusal('editor');
  const test = useAction(testProvider, () => queryClient.invalidateQueries({ queryKey: keys.providers }));
  const [model] = models;
  return (
    <section aria-labelledby="test" className="section">
      <h2 id="test">Connection test</h2>
      <div className="actions">
        <AllowedButton refusal={refusal} disabled={!model || test.isPending} onClick={() => test.mutate(key)}>
          Test
        </AllowedButton>
        <span className="muted small">
          {model ? (
            <>
              Sends one small request to <UserText text={model.id} max={200} /> with the saved settings.
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
