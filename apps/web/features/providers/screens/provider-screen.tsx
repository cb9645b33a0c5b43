import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Provider } from '#lib/contracts/provider';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { deleteProvider, providerQuery } from '../api';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { statusOf } from '../../../api/client';
import { AllowedButton } from '../../../ui/allowed-button';
import { DeleteDialog } from '../../../ui/dialog';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText } from '../../../ui/user-text';
import { count } from '../../../ui/score';
import { Skeleton } from '../../../ui/skeleton';
import '../../operate/screens/operate.css';
import { LearnedSettings } from './learned-settings';
import { OperateNav } from '../../operate/screens/operate-nav';
import { ProviderForm } from './provider-form';
import { TestProvider } from './test-provider';

/** An endpoint: whether it answers, its models and its limits. */
export function ProviderScreen() {
  const { providerKey } = useParams({ from: '/signed-in/operate/providers/$providerKey' });
  const { data: provider, error, isPending, refetch } = useQuery(providerQuery(providerKey));
  return (
    <>
      <div className="head">
        <h1>
          <UserText text={provider?.name ?? providerKey} max={200} />
        </h1>
        <div className="actions">
          <Link to="/operate/providers">All providers</Link>
          {provider && <DeleteButton provider={provider} />}
        </div>
      </div>
      <OperateNav />
      {isPending && <Skeleton rows={10} />}
      {error && (
        <ErrorNotice error={error} retry={statusOf(error) === 404 ? undefined : refetch}>
          {statusOf(error) === 404 && (
            <p>
              <Link to="/operate/providers">All providers</Link>
            </p>
          )}
        </ErrorNotice>
      )}
      {provider && (
        <>
          <TestProvider provider={provider} />
          <LearnedSettings provider={provider} />
          <ProviderForm key={provider.key} provider={provider} />
        </>
      )}
    </>
  );
}

function DeleteButton({ provider }: { provider: Provider }) {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('owner');
  const navigate = useNavigate();
  const remove = useAction(deleteProvider, async () => {
    await navigate({ to: '/operate/providers' });
    queryClient.removeQueries({ queryKey: [...keys.providers, provider.key] });
    await queryClient.invalidateQueries({ queryKey: keys.providers });
    await queryClient.invalidateQueries({ queryKey: keys.lanes });
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
