import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Provider } from '#lib/contracts/provider';
import { certificateWarning, keyInWords } from '#lib/contracts/provider-words';
import { Chip } from '../../../ui/chip';
import { Empty } from '../../../ui/empty';
import { count } from '../../../ui/amounts';
import { Head } from '../../../ui/head';
import { QueryBoundary } from '../../../ui/query-boundary';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine } from '../../../ui/user-text';
import { OPERATE, OperateNav } from '../../operate/parts/operate-nav';
import { providersQuery } from '../api';

/** The endpoints that requests go to. */
export const ProvidersScreen = () => (
  <>
    <Head title="Providers" trail={OPERATE} actions={<NewProvider />} />
    <OperateNav />
    <QueryBoundary rows={5}>
      <Providers />
    </QueryBoundary>
  </>
);

function Providers() {
  const { items, next_cursor: next } = useSuspenseQuery(providersQuery).data;
  return (
    <>
      {items.length > 0 ? (
        <Table
          label="List of providers"
          className="run-rows"
          hasCards
          rows={items}
          keyOf={({ key }) => key}
          columns={COLUMNS}
        />
      ) : (
        <Empty action={<NewProvider />}>No providers yet.</Empty>
      )}
      {next !== null && <p className="muted">The newest {count(items.length)} are shown.</p>}
    </>
  );
}

const NewProvider = () => (
  <Link to="/operate/providers/new" className="button primary">
    New provider
  </Link>
);

/** The key, and what else is sent with each request. Servers of earlier releases have no headers. */
function Sent({ provider }: { provider: Provider }) {
  const { shares_limits_with: shared = [], headers = [], client_certificate: certificate } = provider;
  const also = [...headers.map(({ name }) => name), ...(certificate ? ['client certificate'] : [])];
  const warning = certificate && certificateWarning(certificate);
  return (
    <>
      <UserLine text={keyInWords(provider)} />
      {also.length > 0 && (
        <span className="small muted">
          <UserLine text={`with ${also.join(', ')}`} />
        </span>
      )}
      {warning && <Chip kind="failed">certificate {warning}</Chip>}
      {shared.length > 0 && (
        <span className="small muted">
          <UserLine text={`shares limits with ${shared.join(', ')}`} />
        </span>
      )}
    </>
  );
}

const isUnpriced = ({
  input_cost_per_mtok: input,
  output_cost_per_mtok: output,
}: Provider['models'][number]): boolean => input === null || output === null;

const COLUMNS: Column<Provider>[] = [
  {
    name: 'Provider',
    isHeading: true,
    className: 'named',
    cell: ({ key, name }) => (
      <>
        <Link to="/operate/providers/$providerKey" params={{ providerKey: key }}>
          <UserLine text={name} />
        </Link>
        {key !== name && (
          <span className="small muted">
            <UserLine text={key} />
          </span>
        )}
      </>
    ),
  },
  { name: 'Format', cell: ({ kind }) => kind },
  { name: 'Address', className: 'named', cell: ({ base_url: url }) => <UserLine text={url} /> },
  { name: 'API key', className: 'named', cell: (provider) => <Sent provider={provider} /> },
  { name: 'Models', isNumber: true, cell: ({ models }) => count(models.length) },
  {
    name: 'Unpriced',
    isNumber: true,
    cell: ({ models }) => {
      const unpriced = models.filter(isUnpriced).length;
      return unpriced > 0 && count(unpriced);
    },
  },
  { name: 'At once', isNumber: true, cell: ({ limits }) => count(limits.max_concurrency) },
  { name: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
];
