import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Token } from '#lib/contracts/team';
import { useAction, type Sent } from '../../../api/action';
import { queryClient } from '../../../api/query-client';
import { count, money } from '../../../ui/amounts';
import { MoreButton } from '../../../ui/buttons';
import { ConfirmDialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/empty';
import { FormDialog } from '../../../ui/form/form-dialog';
import { NumberField } from '../../../ui/form/fields';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import { changeCap, type tokensQuery } from '../access';
import { LastUsed } from './last-used';
import { expiryInWords } from './token-words';
import css from './access.module.css';

interface Props {
  query: typeof tokensQuery;
  remove: (id: string, options: Sent) => Promise<void>;
  /** Whether the user may change limits and sees whose they are. */
  isOwner: boolean;
}

/** Tokens with their limits and their last use. Their secrets are never shown again. */
export function TokenTable({ query, remove, isOwner }: Props) {
  const list = useSuspenseInfiniteQuery(query);
  const [deleted, setDeleted] = useState<Token>();
  const [capped, setCapped] = useState<Token>();
  const rows = list.data.pages.flatMap(({ items }) => items);
  const refresh = () => queryClient.invalidateQueries({ queryKey: query.queryKey });
  if (rows.length === 0) return <Empty>No tokens yet.</Empty>;
  return (
    <>
      <Table
        label="List of tokens"
        className={`run-rows ${css.rows}`}
        hasCards
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          ...COLUMNS.filter(({ name }) => isOwner || name !== 'User'),
          {
            name: 'Actions',
            isNameHidden: true,
            cell: (token) => (
              <span className="actions">
                {isOwner && (
                  <button
                    type="button"
                    className="dense"
                    aria-label={`Change the cap of ${visible(token.name)}`}
                    onClick={() => setCapped(token)}
                  >
                    Cap
                  </button>
                )}
                <button
                  type="button"
                  className="dense"
                  aria-label={`Delete the token ${visible(token.name)}`}
                  onClick={() => setDeleted(token)}
                >
                  Delete
                </button>
              </span>
            ),
          },
        ]}
      />
      {deleted && <DeleteDialog {...{ remove, refresh }} token={deleted} close={() => setDeleted(undefined)} />}
      {capped && <CapDialog token={capped} refresh={refresh} close={() => setCapped(undefined)} />}
      <MoreButton of={list}>Older tokens</MoreButton>
    </>
  );
}

const COLUMNS: Column<Token>[] = [
  { name: 'Token', isHeading: true, className: 'named', cell: ({ name }) => <UserLine text={name} /> },
  { name: 'Role', cell: (token) => <RoleAndLimits token={token} /> },
  { name: 'User', className: 'named', cell: ({ user }) => <UserLine text={user} /> },
  {
    name: 'Created',
    cell: ({ created_at: at, created_by: by }) => (
      <>
        <Time at={at} />
        {by !== null && <span className="small muted given-line">{visible(`by ${by}`)}</span>}
      </>
    ),
  },
  { name: 'Expires', cell: ({ expires_at: at }) => expiryInWords(at) },
  { name: 'Last used', cell: (token) => <LastUsed of={token} /> },
];

function RoleAndLimits({ token }: { token: Token }) {
  const { role, reads_only: isReading, suites, monthly_cap_usd: cap, spent_usd: spent } = token;
  return (
    <>
      {role}
      {isReading && <span className={css.limit}>reads only</span>}
      {suites && (
        <span className={css.limit} title={suites.map(({ name }) => visible(name)).join(', ')}>
          {suites.length === 1 ? visible(suites[0]!.name) : `${count(suites.length)} suites`}
        </span>
      )}
      {cap !== null && (
        <span className={css.limit}>
          {money(spent)} of {money(cap)} this month
        </span>
      )}
      {cap === null && spent > 0 && <span className={css.limit}>{money(spent)} this month</span>}
    </>
  );
}

interface DialogProps {
  token: Token;
  refresh: () => Promise<void>;
  close: () => void;
}

function DeleteDialog({ token, remove, refresh, close }: DialogProps & Pick<Props, 'remove'>) {
  const removing = useAction(remove, async () => {
    close();
    await refresh();
  });
  return (
    <ConfirmDialog
      title="Delete this token?"
      action="Delete the token"
      isPending={removing.isPending}
      error={removing.error}
      act={() => removing.mutate(token.id)}
      close={close}
    >
      <p>
        <UserText text={token.name} />, {token.role}, of <UserText text={token.user} />
      </p>
      <p>It stops working within seconds, and its sessions end. Everything created with it stays.</p>
    </ConfirmDialog>
  );
}

/** Runs that wait for the cap go on when it is raised. */
const CapDialog = ({ token, refresh, close }: DialogProps) => (
  <FormDialog<{ monthly_cap_usd: number | null }>
    title="Monthly cap of this token"
    action="Save cap"
    initial={{ monthly_cap_usd: token.monthly_cap_usd }}
    needs="owner"
    send={({ monthly_cap_usd: cap }, options) => changeCap({ id: token.id, monthly_cap_usd: cap ?? null }, options)}
    onDone={() => {
      close();
      return refresh();
    }}
    close={close}
  >
    <p>
      Runs of <UserText text={token.name} max={200} /> have cost {money(token.spent_usd)} this month.
    </p>
    <NumberField path="monthly_cap_usd" label="Monthly cap in US dollars" help="Empty: no cap of its own." />
  </FormDialog>
);
