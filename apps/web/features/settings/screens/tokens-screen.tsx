import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { Token } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { ConfirmDialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/empty';
import { Form } from '../../../ui/form/form';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Note } from '../../../ui/hint';
import { MoreButton } from '../../../ui/buttons';
import { Section } from '../../../ui/query-boundary';
import { Secret } from '../../../ui/secret';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import { createToken, deleteToken, tokensQuery, type NewToken } from '../api';
import { EXPIRIES, expiryOf, type Expiry } from './setting-words';
import { SettingsPage } from './settings-page';
import css from './settings.module.css';

/** The tokens of the team with their roles. Their secrets are never shown again. */
export function TokensScreen() {
  const refusal = useRefusal('owner');
  return (
    <SettingsPage
      title="Tokens"
      about={
        <Note of="What viewers, editors and owners may do">
          Viewers read. Editors change everything but tokens, providers and settings; owners change these, too. A token
          signs in people here, and pipelines and the command line to the API.
        </Note>
      }
    >
      {refusal === undefined ? (
        <>
          <NewTokenForm />
          <Section id="tokens" title="Tokens of the team" rows={5}>
            <Tokens />
          </Section>
        </>
      ) : (
        <Empty>Only owners see and create the tokens of the team. {refusal}</Empty>
      )}
    </SettingsPage>
  );
}

const EMPTY = { name: '', role: 'viewer', user: '', expires_at: 'never' };
type Typed = typeof EMPTY;

/** Creates a token. Its secret is shown once. */
function NewTokenForm() {
  const [initial, setInitial] = useState(EMPTY);
  const [made, setMade] = useState<NewToken>();
  return (
    <section aria-labelledby="new-token" className="section">
      <h2 id="new-token">New token</h2>
      {made && <Secret key={made.id} title={`Token ${made.name}`} token={made.token} done={() => setMade(undefined)} />}
      <Form
        initial={initial}
        needs="owner"
        requestOf={({ value: typed }) => ({ body: { typed: typed as Typed, input: inputOf(typed as Typed) } })}
        send={({ input }, options) => createToken(input, options)}
        onDone={(token, { typed }) => {
          setMade(token);
          setInitial({ ...typed, name: '', user: '' });
          return queryClient.invalidateQueries({ queryKey: keys.tokens });
        }}
        save="Create token"
      >
        <Fields of={FIELDS} />
      </Form>
    </section>
  );
}

/** What is sent: a repeated request with the same Idempotency-Key must be the same. */
function inputOf({ name, role, user, expires_at: expiry }: Typed): JsonObject {
  const ofUser = user.trim();
  return { name, role, ...(ofUser !== '' && { user: ofUser }), expires_at: expiryOf(expiry as Expiry, new Date()) };
}

const MAX_NAME = 100;
const FIELDS: FormSchema<Typed> = [
  { text: 'name', label: 'Purpose', maxLength: MAX_NAME, isRequired: true, whenEmpty: '' },
  [
    { choice: 'role', label: 'Role', options: ROLES.map((role) => [role, role]) },
    {
      text: 'user',
      label: 'User',
      help: 'Empty: you. A new name creates a user.',
      maxLength: MAX_NAME,
      whenEmpty: '',
    },
    {
      choice: 'expires_at',
      label: 'Expires',
      options: Object.entries(EXPIRIES).map(([key, { words }]) => [key, words]),
    },
  ],
];

function Tokens() {
  const list = useSuspenseInfiniteQuery(tokensQuery);
  const [asked, setAsked] = useState<Token>();
  return (
    <>
      <Table
        label="List of tokens"
        className={`run-rows ${css.rows}`}
        rows={list.data.pages.flatMap(({ items }) => items)}
        keyOf={({ id }) => id}
        columns={[
          ...COLUMNS,
          {
            name: 'Actions',
            isNameHidden: true,
            cell: (token) => (
              <button
                type="button"
                className="dense"
                aria-label={`Delete the token ${visible(token.name)}`}
                onClick={() => setAsked(token)}
              >
                Delete
              </button>
            ),
          },
        ]}
      />
      {asked && <DeleteTokenDialog token={asked} close={() => setAsked(undefined)} />}
      <MoreButton of={list}>Older tokens</MoreButton>
    </>
  );
}

const COLUMNS: Column<Token>[] = [
  { name: 'Token', isHeading: true, className: 'named', cell: ({ name }) => <UserLine text={name} /> },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'User', className: 'named', cell: ({ user }) => <UserLine text={user} /> },
  { name: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  { name: 'Expires', cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />) },
];

function DeleteTokenDialog({ token, close }: { token: Token; close: () => void }) {
  const remove = useAction(deleteToken, async () => {
    close();
    await queryClient.invalidateQueries({ queryKey: keys.tokens });
  });
  return (
    <ConfirmDialog
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
    </ConfirmDialog>
  );
}
