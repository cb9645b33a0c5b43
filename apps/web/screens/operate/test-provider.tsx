import type { Provider } from '#lib/contracts/provider';
import { useAction } from '../../api/action';
import { testProvider } from '../../api/providers';
import { useRefusal } from '../../api/session';
import { AllowedButton } from '../../parts/allowed-button';
import { Failed } from '../../parts/failed';
import { Given, GivenBlock } from '../../parts/given';
import { duration } from '../../parts/time';
import '../../parts/status.css';

/** One small request to the first model, as the provider is stored. */
export function TestProvider({ provider: { key, models } }: { provider: Provider }) {
  const refusal = useRefusal('editor');
  const test = useAction(testProvider);
  const [model] = models;
  return (
    <section aria-labelledby="test" className="section">
      <h2 id="test">Does it answer?</h2>
      <div className="actions">
        <AllowedButton refusal={refusal} disabled={!model || test.isPending} onClick={() => test.mutate(key)}>
          Test
        </AllowedButton>
        <span className="muted small">
          {model ? (
            <>
              One small request to <Given text={model.id} max={200} />, as it is saved.
            </>
          ) : (
            'It has no model to test with.'
          )}
        </span>
      </div>
      <div role="status">
        {test.isPending && <span className="muted">It is asked.</span>}
        {test.data && !test.isPending && <Answer ok={test.data.ok} ms={test.data.latency_ms} error={test.data.error} />}
      </div>
      {test.isError && <Failed error={test.error} />}
    </section>
  );
}

function Answer({ ok, ms, error }: { ok: boolean; ms: number; error: string | null }) {
  return (
    <>
      <span className={`status ${ok ? 'passed' : 'failed'}`}>
        <span aria-hidden="true">{ok ? '●' : '○'}</span> {ok ? 'it answers' : 'it fails'}
      </span>{' '}
      after {duration(ms)}
      {error !== null && <GivenBlock text={error} />}
    </>
  );
}
