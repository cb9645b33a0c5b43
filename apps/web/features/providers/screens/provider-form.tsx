import { useMemo, useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Provider } from '#lib/contracts/provider';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { changeProvider, providerQuery } from '../api';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { useDraft } from '../../../ui/draft';
import { DraftForm } from '../../../ui/form/draft-form';
import { edit, type Edited } from '../../../ui/form/edited';
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
  const saving = useAction(changeProvider, async (saved) => {
    queryClient.setQueryData(providerQuery(provider.key).queryKey, saved);
    draft.clear();
    setKey(KEPT);
    await queryClient.invalidateQueries({ queryKey: keys.providers });
    await queryClient.invalidateQueries({ queryKey: keys.lanes });
  });
  const value = draft.value.value as JsonObject;
  const { find } = useKnownPrices(value);
  const send = (): void => saving.mutate({ key: provider.key, body: patchOf(value, stored.value as JsonObject, key) });
  const takeOver = (ids: string[]): void => {
    const models = Array.isArray(value.models) ? value.models : [];
    draft.change(edit(draft.value, ['models'], [...models, ...ids.map((id) => newModel(id, find))]));
  };
  return (
    <section aria-labelledby="settings" className="section">
      <h2 id="settings">Settings</h2>
      <DraftForm
        {...{ draft, saving, refusal, send }}
        save="Save the provider"
        saved={saving.isSuccess ? 'Saved.' : undefined}
      >
        <ProviderFields isNew={false} />
        <ApiKeyField stored={provider} change={key} onChange={setKey} />
        <fieldset>
          <legend>Limits</legend>
          <LimitsFields at={['limits']} />
        </fieldset>
        <ModelsFields />
        <DiscoverModels providerKey={provider.key} known={idsOf(value)} addModels={takeOver} />
      </DraftForm>
    </section>
  );
}
