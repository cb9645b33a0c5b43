import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation } from '#lib/contracts/people';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { MoreButton } from '../../../ui/buttons';
import { ConfirmDialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/empty';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import { invitationsQuery, withdrawInvitation } from '../access';
import css from './access.module.css';

/** Invitations that are open, and who came with the others. */
export function Invitations() {
  const list = useSuspenseInfiniteQuery(invitationsQuery);
  const [asked, setAsked] = useState<Invitation>();
  const rows = list.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0) return <Empty>No invitations are open.</Empty>;
  return (
    <>
      <Table
        label="List of invitations"
        className={`run-rows ${css.rows}`}
        hasCards
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          ...COLUMNS,
          {
            name: 'Actions',
            isNameHidden: true,
            cell: (invitation) =>
              invitation.accepted_by === null && (
                <button
                  type="button"
                  className="dense"
                  aria-label={`Withdraw the invitation ${visible(invitation.note ?? invitation.role)}`}
                  onClick={() => setAsked(invitation)}
                >
                  Withdraw
                </button>
              ),
          },
        ]}
      />
      {asked && <WithdrawDialog invitation={asked} close={() => setAsked(undefined)} />}
      <MoreButton of={list}>Older invitations</MoreButton>
    </>
  );
}

const COLUMNS: Column<Invitation>[] = [
  {
    name: 'For',
    isHeading: true,
    className: 'named',
    cell: ({ note }) => (note === null ? <span className="muted">no note</span> : <UserLine text={note} />),
  },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'By', className: 'named', cell: ({ created_by: by }) => <UserLine text={by} /> },
  { name: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
  {
    name: 'State',
    cell: ({ accepted_by: by, expires_at: at }) =>
      by === null ? (
        <>
          {new Date(at) < new Date() ? 'ended' : 'ends'} <Time at={at} />
        </>
      ) : (
        <UserLine text={`accepted by ${by}`} />
      ),
  },
];

function WithdrawDialog({ invitation, close }: { invitation: Invitation; close: () => void }) {
  const withdraw = useAction(withdrawInvitation, async () => {
    close();
    await queryClient.invalidateQueries({ queryKey: keys.invitations });
  });
  return (
    <ConfirmDialog
      title="Withdraw this invitation?"
      action="Withdraw"
      isPending={withdraw.isPending}
      error={withdraw.error}
      act={() => withdraw.mutate(invitation.id)}
      close={close}
    >
      <p>
        {invitation.note !== null && (
          <>
            <UserText text={invitation.note} />,{' '}
          </>
        )}
        {invitation.role}
      </p>
      <p>Its link lets nobody in any more.</p>
    </ConfirmDialog>
  );
}
