import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Provider } from '#lib/contracts/provider';
import { useAction } from '../../../api/action';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { ConfirmDialog } from '../../../ui/dialog';
import { Head } from '../../../ui/head';
import { MenuItem } from '../../../ui/menu';
import { Form } from '../../../ui/form/form';
import { valueOf } from '../../../ui/form/form-request';
import { count } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';
import css from '../../operate/parts/operate.module.css';
import { OPERATE } from '../../operate/parts/operate-nav';
import { changeProvider, deleteProvider, providerQuery, refreshProviders } from '../api';
import { DiscoverModels } from './discover-models';
import { ModelsFields } from './models-fields';
import { LearnedSettings, TestProvider } from './provider-checks';
import { ProviderFields } from './provider-fields';
import { SentWithRequests } from './sent-with-requests';
import { patchOf, storedProvider } from './provider-value';
import { useAccess } from './use-access';

/** An endpoint: whether it answers, its models and its limits. */
export function ProviderScreen() {
  const { providerKey } = useParams({ from: '/signed-in/operate/providers/$providerKey' });
  const { data: provider } = useSuspenseQuery(providerQuery(providerKey));
  const [isDeleting, setDeleting] = useState(false);
  const refusal = useRefusal('owner');
  return (
    <>
      <Head
        title={provider.name}
        trail={PROVIDERS}
        status={<UserText text={`${provider.key}, ${provider.kind}, ${provider.base_url}`} max={300} />}
        menu={
          <MenuItem danger refusal={refusal} onSelect={() => setDeleting(true)}>
            Delete
          </MenuItem>
        }
      />
      <SentWithRequests provider={provider} />
      <TestProvider provider={provider} />
      <ProviderForm key={provider.key} provider={provider} />
      <LearnedSettings provider={provider} />
      {isDeleting && <DeleteProvider provider={provider} close={() => setDeleting(false)} />}
    </>
  );
}

const PROVIDERS = [...OPERATE, { to: '/operate/providers', label: 'Providers' }] as const;

/** Settings of a provider. Running jobs use the new settings once they are saved. */
function ProviderForm({ provider }: { provider: Provider }) {
  const { key } = provider;
  const stored = useMemo(() => storedProvider(provider), [provider]);
  const access = useAccess();
  return (
    <section aria-label="Settings" className={`section ${css.provider}`}>
      <Form<string, Provider>
        name={`provider ${key}`}
        outside={access}
        initial={stored}
        needs="owner"
        requestOf={(edited) => {
          const request = valueOf<JsonObject>(edited);
          return 'faults' in request ? request : { body: patchOf(request.body, stored, access.value) };
        }}
        send={(body, options) => changeProvider({ key, body }, options)}
        onDone={(saved) => {
          queryClient.setQueryData(providerQuery(key).queryKey, saved);
          access.clear();
          return refreshProviders();
        }}
        save="Save the provider"
        saved={() => 'Saved.'}
      >
        <ModelsFields />
        <DiscoverModels providerKey={key} />
        <fieldset>
          <legend>Connection and limits</legend>
          <ProviderFields stored={provider} access={access.value} changeAccess={access.change} />
        </fieldset>
      </Form>
    </section>
  );
}

function DeleteProvider({ provider, close }: { provider: Provider; close: () => void }) {
  const navigate = useNavigate();
  const remove = useAction(deleteProvider, async () => {
    await navigate({ to: '/operate/providers' });
    queryClient.removeQueries({ queryKey: providerQuery(provider.key).queryKey });
    await refreshProviders();
  });
  const n = provider.models.length;
  return (
    <ConfirmDialog
      title="Delete this provider?"
      action="Delete the provider"
      isPending={remove.isPending}
      error={remove.error}
      act={() => remove.mutate(provider.key)}
      close={close}
    >
      <p>
        <UserText text={provider.name} max={200} />
      </p>
      <p>
        This deletes its key, limits and {count(n)} {n === 1 ? 'model' : 'models'}. Runs and their results stay. A
        provider that an unfinished run uses cannot be deleted.
      </p>
    </ConfirmDialog>
  );
}
