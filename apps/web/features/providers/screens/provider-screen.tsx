import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Provider } from '#lib/contracts/provider';
import { useAction } from '../../../api/action';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { DeleteDialog } from '../../../ui/dialog';
import { Form } from '../../../ui/form/form';
import { valueOf } from '../../../ui/form/form-request';
import { count } from '../../../ui/amounts';
import { UserText } from '../../../ui/user-text';
import { OperateNav } from '../../operate/parts/operate-nav';
import { changeProvider, deleteProvider, providerQuery, refreshProviders } from '../api';
import { DiscoverModels } from './discover-models';
import { LearnedSettings, TestProvider } from './provider-checks';
import { ProviderFields } from './provider-fields';
import { patchOf, storedProvider, type KeyChange } from './provider-value';

/** An endpoint: whether it answers, its models and its limits. */
export function ProviderScreen() {
  const { providerKey } = useParams({ from: '/signed-in/operate/providers/$providerKey' });
  const { data: provider } = useSuspenseQuery(providerQuery(providerKey));
  return (
    <>
      <div className="head">
        <h1>
          <UserText text={provider.name} max={200} />
        </h1>
        <div className="actions">
          <Link to="/operate/providers">All providers</Link>
          <DeleteButton provider={provider} />
        </div>
      </div>
      <OperateNav />
      <TestProvider provider={provider} />
      <LearnedSettings provider={provider} />
      <ProviderForm key={provider.key} provider={provider} />
    </>
  );
}

const KEPT: KeyChange = { to: 'kept' };

/** Settings of a provider. Running jobs use the new settings once they are saved. */
function ProviderForm({ provider }: { provider: Provider }) {
  const { key } = provider;
  const stored = useMemo(() => storedProvider(provider), [provider]);
  const [apiKey, changeKey] = useState(KEPT);
  return (
    <section aria-labelledby="settings" className="section">
      <h2 id="settings">Settings</h2>
      <Form<string, Provider>
        name={`provider ${key}`}
        initial={stored}
        needs="owner"
        requestOf={(edited) => {
          const request = valueOf<JsonObject>(edited);
          return 'faults' in request ? request : { body: patchOf(request.body, stored, apiKey) };
        }}
        send={(body, options) => changeProvider({ key, body }, options)}
        onDone={(saved) => {
          queryClient.setQueryData(providerQuery(key).queryKey, saved);
          changeKey(KEPT);
          return refreshProviders();
        }}
        save="Save the provider"
        saved={() => 'Saved.'}
      >
        <ProviderFields stored={provider} apiKey={apiKey} changeKey={changeKey} />
        <DiscoverModels providerKey={key} />
      </Form>
    </section>
  );
}

function DeleteButton({ provider }: { provider: Provider }) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('owner');
  const navigate = useNavigate();
  const remove = useAction(deleteProvider, async () => {
    await navigate({ to: '/operate/providers' });
    queryClient.removeQueries({ queryKey: providerQuery(provider.key).queryKey });
    await refreshProviders();
  });
  return (
    <>
      <AllowedButton refusal={refusal} onClick={() => setOpen(true)}>
        Delete
      </AllowedButton>
      {isOpen && (
        <DeleteDialog
          title="Delete this provider?"
          action="Delete the provider"
          isPending={remove.isPending}
          error={remove.error}
          act={() => remove.mutate(provider.key)}
          close={() => setOpen(false)}
        >
          <p>
            <UserText text={provider.name} max={200} />
          </p>
          <p>
            This deletes its key, limits and {count(provider.models.length)} models. Runs and their results stay. A
            provider that an unfinished run uses cannot be deleted.
          </p>
        </DeleteDialog>
      )}
    </>
  );
}
