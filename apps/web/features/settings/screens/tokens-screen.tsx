import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Token } from '#lib/contracts/team';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { deleteToken, tokensQuery } from '../api';
import { DeleteDialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/error-notice';
import { UserText, UserLine, visible } from '../../../ui/user-text';
import { Skeleton } from '../../../ui/skeleton';
import { Time } from '../../../ui/time';
import './settings.css';
import { NewTokenForm } from './new-token-form';
import { SettingsNav } from './settings-nav';
import { Table } from '../../../ui/table';
import { MoreButton } from '../../../ui/more-button';

/** The tokens of the team with their roles. Their secrets are never shown again. */
export function TokensScreen() {
  const refusal = useRefusal('owner');
  return (
    <>
      <h1>Tokens</h1>
      <SettingsNav />
      <p>
        A token signs in people here, and pipelines and the command line to the API. Viewers read; editors change
        everything except tokens, providers and settings; owners change these, too.
      </p>
      {refusal === undefined ? <Tokens /> : <Empty>Only owners see and create the tokens of the team. {refusal}</Empty>}
    </>
  );
}

function Tokens() {
  const list = useInfiniteQuery(tokensQuery);
  const { data, error, isPending, refetch } = list;
  const [asked, setAsked] = useState<Token>();
  const tokens = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <NewTokenForm />
      <section aria-labelledby="tokens" className="section">
        <h2 id="tokens">Tokens of the team</h2>
        {isPending && <Skeleton rows={5} />}
        {error && <ErrorNotice error={error} retry={refetch} />}
        {tokens.length > 0 && <TokenRows tokens={tokens} ask={setAsked} />}
        {asked && <DeleteTokenDialog token={asked} close={() => setAsked(undefined)} />}
        <MoreButton of={list}>Older tokens</MoreButton>
      </section>
    </>
  );
}

const TokenRows = ({ tokens, ask }: { tokens: Token[]; ask: (token: Token) => void }) => (
  <Table
    label="List of tokens"
    className="setting-rows"
    rows={tokens}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Token', isHeading: true, className: 'named', cell: ({ name }) => <UserLine text={name} /> },
      { name: 'Role', cell: ({ role }) => role },
      { name: 'User', className: 'named', cell: ({ user }) => <UserLine text={user} /> },
      { name: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
      { name: 'Expires', cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />) },
      {
        name: 'Actions',
        isNameHidden: true,
        cell: (token) => (
          <button
            type="button"
            className="dense"
            aria-label={`Delete the token ${visible(token.name)}`}
            onClick={() => ask(token)}
          >
            Delete
          </button>
        ),
      },
    ]}
  />
);

function DeleteTokenDialog({ token, close }: { token: Token; close: () => void }) {
  const remove = useAction(deleteToken, async () => {
    close();
    await queryClient.invalidateQueries({ queryKey: keys.tokens });
  });
  return (
    <DeleteDialog
      title="Delete this token?"
      action="Delete the token"
      isPending={remove.isPending}
      error={remove.error}
      act={() => remove.mutate(token.id)}
      close={close}
    >
      <p>
        <UserText text={token.name} />, {token.role}, of <UserText text={token.user} />
      </p>
      <p>It stops working within seconds, and its sessions end. Everything created with it stays.</p>
    </DeleteDialog>
  );
}
