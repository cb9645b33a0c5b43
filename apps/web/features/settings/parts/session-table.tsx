import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SessionEntry } from '#lib/contracts/people';
import { useAction, type Sent } from '../../../api/action';
import { queryClient } from '../../../api/query-client';
import { MoreButton } from '../../../ui/buttons';
import { ConfirmDialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/empty';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import { useProviderName } from '../../session/parts/provider-name';
import type { sessionsQuery } from '../access';
import css from './access.module.css';
import { LastUsed } from './last-used';

interface Props {
  query: typeof sessionsQuery;
  end: (id: string, options: Sent) => Promise<void>;
  /** Whether it lists sessions of several users. */
  ofTeam?: boolean;
}

/** Browsers that are signed in, each of which can be signed out. */
export function SessionTable({ query, end, ofTeam = false }: Props) {
  const list = useSuspenseInfiniteQuery(query);
  const [asked, setAsked] = useState<SessionEntry>();
  const rows = list.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0) return <Empty>No sessions.</Empty>;
  return (
    <>
      <Table
        label="List of sessions"
        className={`run-rows ${css.rows}`}
        hasCards
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          ...(ofTeam ? [USER] : []),
          ...COLUMNS,
          {
            name: 'Actions',
            isNameHidden: true,
            cell: (session) =>
              session.is_current ? (
                <span className="muted">this browser</span>
              ) : (
                <button
                  type="button"
                  className="dense"
                  aria-label={`End the session of ${visible(nameOf(session))}`}
                  onClick={() => setAsked(session)}
                >
                  End
                </button>
              ),
          },
        ]}
      />
      {asked && <EndDialog session={asked} end={end} query={query} close={() => setAsked(undefined)} />}
      <MoreButton of={list}>More sessions</MoreButton>
    </>
  );
}

const nameOf = ({ user, agent }: SessionEntry): string => `${user}, ${agent ?? 'unknown browser'}`;

const USER: Column<SessionEntry> = {
  name: 'User',
  isHeading: true,
  className: 'named',
  cell: ({ user }) => <UserLine text={user} />,
};
const COLUMNS: Column<SessionEntry>[] = [
  { name: 'Browser', cell: ({ agent }) => visible(agent ?? 'unknown') },
  {
    name: 'Signed in',
    cell: (session) => <SignedIn session={session} />,
  },
  { name: 'Last used', cell: (session) => <LastUsed of={{ ...session, agent: null }} /> },
  { name: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
];

function SignedIn({ session: { created_at: at, provider, token } }: { session: SessionEntry }) {
  const nameOfProvider = useProviderName();
  const way = provider !== null ? `with ${nameOfProvider(provider)}` : `with the token ${token ?? ''}`;
  return (
    <>
      <Time at={at} />
      <span className="small muted given-line">{visible(way)}</span>
    </>
  );
}

function EndDialog({
  session,
  end,
  query,
  close,
}: Omit<Props, 'ofTeam'> & { session: SessionEntry; close: () => void }) {
  const ending = useAction(end, async () => {
    close();
    await queryClient.invalidateQueries({ queryKey: query.queryKey });
  });
  return (
    <ConfirmDialog
      title="End this session?"
      action="End the session"
      isPending={ending.isPending}
      error={ending.error}
      act={() => ending.mutate(session.id)}
      close={close}
    >
      <p>
        <UserText text={nameOf(session)} max={200} />
      </p>
      <p>
        That browser is signed out within seconds. What is typed there is not lost: it can sign in again
        {session.provider === null && ', as long as its token works'}.
      </p>
    </ConfirmDialog>
  );
}
