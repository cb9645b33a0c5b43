import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Provider } from '#lib/contracts/provider';
import { providersQuery } from '../../api/providers';
import { Empty } from '../../parts/empty';
import { Failed } from '../../parts/failed';
import { GivenLine } from '../../parts/given';
import { count } from '../../parts/score';
import { Skeleton } from '../../parts/skeleton';
import { Time } from '../../parts/time';
import './operate.css';
import { OperateNav } from './operate-nav';

const NewProvider = () => (
  <Link to="/operate/providers/new" className="button primary">
    New provider
  </Link>
);

/** The endpoints that requests go to. */
export function ProvidersScreen() {
  const providers = useQuery(providersQuery);
  const { items = [] } = providers.data ?? {};
  return (
    <>
      <div className="head">
        <h1>Providers</h1>
        <NewProvider />
      </div>
      <OperateNav />
      {providers.isError && <Failed error={providers.error} retry={() => providers.refetch()} />}
      {providers.isPending && <Skeleton rows={5} />}
      {items.length > 0 && <ProviderRows providers={items} />}
      {providers.data && items.length === 0 && (
        <Empty action={<NewProvider />}>
          Here will be the providers of the team: endpoints with their keys, limits and models.
        </Empty>
      )}
      {providers.data?.next_cursor != null && <p className="muted">The newest {count(items.length)} are shown.</p>}
    </>
  );
}

const ProviderRows = ({ providers }: { providers: Provider[] }) => (
  <div className="wide" tabIndex={0} role="region" aria-label="List of providers">
    <table className="provider-rows">
      <thead>
        <tr>
          <th>Provider</th>
          <th>Format</th>
          <th>Address</th>
          <th>API key</th>
          <th className="number">Models</th>
          <th className="number">Without prices</th>
          <th className="number">At once</th>
          <th>Changed</th>
        </tr>
      </thead>
      <tbody>
        {providers.map((provider) => (
          <ProviderRow key={provider.key} provider={provider} />
        ))}
      </tbody>
    </table>
  </div>
);

function ProviderRow({ provider }: { provider: Provider }) {
  const { key, name, kind, base_url: url, models, limits, updated_at: at, shares_limits_with: shared = [] } = provider;
  const unpriced = models.filter((model) => model.input_cost_per_mtok === null || model.output_cost_per_mtok === null);
  return (
    <tr>
      <th scope="row" className="named">
        <Link to="/operate/providers/$providerKey" params={{ providerKey: key }}>
          <GivenLine text={name} />
        </Link>
        {key !== name && (
          <span className="small muted">
            <GivenLine text={key} />
          </span>
        )}
      </th>
      <td>{kind}</td>
      <td className="named">
        <GivenLine text={url} />
      </td>
      <td className="named">
        {keyInWords(provider)}
        {shared.length > 0 && (
          <span className="small muted">
            <GivenLine text={`one set of limits with ${shared.join(', ')}`} />
          </span>
        )}
      </td>
      <td className="number">{count(models.length)}</td>
      <td className="number">{unpriced.length > 0 && count(unpriced.length)}</td>
      <td className="number">{count(limits.max_concurrency)}</td>
      <td>
        <Time at={at} />
      </td>
    </tr>
  );
}

function keyInWords({ api_key_set: isSet, api_key_last4: last4 }: Provider): string {
  if (!isSet) return 'none';
  return last4 === null ? 'set' : `ends in ${last4}`;
}
