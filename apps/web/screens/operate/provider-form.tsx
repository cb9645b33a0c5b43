import { useMemo, useState, type FormEvent } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Provider } from '#lib/contracts/provider';
import { useAction } from '../../api/action';
import { keys } from '../../api/keys';
import { changeProvider } from '../../api/providers';
import { queryClient } from '../../api/query-client';
import { useRefusal } from '../../api/session';
import { useDraft } from '../../parts/draft';
import { edit, type Edited } from '../../parts/form/edited';
import { JsonForm } from '../../parts/form/form';
import { SaveBar } from '../../parts/form/save-bar';
import { submitOnCtrlEnter } from '../../parts/submit-keys';
import { ApiKeyField } from './api-key-field';
import { DiscoverModels } from './discover-models';
import { useKnownPrices } from './known-prices';
import { ModelsFields } from './models-fields';
import { LimitsFields, ProviderFields } from './provider-fields';
import { idsOf, newModel, patchOf, storedProvider, type KeyChange } from './provider-value';

const KEPT: KeyChange = { to: 'kept' };

/** Settings of a provider. Running jobs use the new settings once they are saved. */
export function ProviderForm({ provider }: { provider: Provider }) {
  const stored = useMemo<Edited>(() => ({ value: storedProvider(provider), unread: {} }), [provider]);
  const draft = useDraft(`provider ${provider.key}`, stored);
  const [key, setKey] = useState(KEPT);
  const refusal = useRefusal('owner');
  const save = useAction(changeProvider, async (saved) => {
    queryClient.setQueryData([...keys.providers, provider.key], saved);
    draft.clear();
    setKey(KEPT);
    await queryClient.invalidateQueries({ queryKey: keys.providers });
    await queryClient.invalidateQueries({ queryKey: keys.lanes });
  });
  const value = draft.value.value as JsonObject;
  const { find } = useKnownPrices(value);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (refusal !== undefined || save.isPending) return;
    save.mutate({ key: provider.key, body: patchOf(value, stored.value as JsonObject, key) });
  };
  const takeOver = (ids: string[]): void => {
    const models = Array.isArray(value.models) ? value.models : [];
    draft.change(edit(draft.value, ['models'], [...models, ...ids.map((id) => newModel(id, find))]));
  };
  return (
    <section aria-labelledby="settings" className="section">
      <h2 id="settings">Settings</h2>
      <JsonForm edited={draft.value} change={draft.change} error={save.error} refusal={refusal}>
        <form className="fields" onSubmit={send} onKeyDown={submitOnCtrlEnter}>
          <ProviderFields isNew={false} />
          <ApiKeyField stored={provider} change={key} onChange={setKey} />
          <fieldset>
            <legend>Limits</legend>
            <LimitsFields at={['limits']} />
          </fieldset>
          <ModelsFields />
          <DiscoverModels providerKey={provider.key} known={idsOf(value)} takeOver={takeOver} />
          <SaveBar
            draft={draft}
            save="Save the provider"
            refusal={refusal}
            isPending={save.isPending}
            error={save.error}
            saved={save.isSuccess ? 'Saved.' : undefined}
          />
        </form>
      </JsonForm>
    </section>
  );
}
