import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Member } from '#lib/contracts/people';
import type { Role } from '#lib/contracts/team';
import { ROLES } from '#lib/contracts/values/team';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { count } from '../../../ui/amounts';
import { MoreButton } from '../../../ui/buttons';
import { ConfirmDialog } from '../../../ui/dialog';
import { Empty } from '../../../ui/empty';
import { FormDialog } from '../../../ui/form/form-dialog';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Menu, MenuItem } from '../../../ui/menu';
import { Table, type Column } from '../../../ui/table';
import { Time } from '../../../ui/time';
import { UserLine, UserText, visible } from '../../../ui/user-text';
import { changeRole, membersQuery, removeMember } from '../access';
import css from './access.module.css';

interface Props {
  kind: Member['kind'];
  /** Makes a token for one of them. */
  makeToken?: (member: Member) => void;
}
type Asked = { to: 'change' | 'remove'; member: Member };

/** The members of one kind: their roles, and how they came. */
export function Members({ kind, makeToken }: Props) {
  const list = useSuspenseInfiniteQuery(membersQuery);
  const [asked, setAsked] = useState<Asked>();
  const rows = list.data.pages.flatMap(({ items }) => items).filter((member) => member.kind === kind);
  const close = (): void => setAsked(undefined);
  /** Who was removed while jobs of theirs go on. */
  const [left, setLeft] = useState<{ name: string; jobs: number }>();
  return (
    <>
      {left && (
        <p role="status" className="notice">
          <UserText text={left.name} max={200} /> was removed. {count(left.jobs)} unfinished{' '}
          {left.jobs === 1 ? 'job goes' : 'jobs go'} on: <Link to="/jobs">Activity</Link>
        </p>
      )}
      {rows.length === 0 ? (
        !list.hasNextPage && <Empty>{kind === 'person' ? 'Nobody is in the team.' : 'No service accounts yet.'}</Empty>
      ) : (
        <Table
          label={kind === 'person' ? 'List of members' : 'List of service accounts'}
          className={`run-rows ${css.rows}`}
          hasCards
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            ...COLUMNS.filter(({ name }) => kind === 'person' || (name !== 'Joined' && name !== 'Sessions')),
            {
              name: 'Actions',
              isNameHidden: true,
              cell: (member) => (
                <Menu label={`Actions of ${visible(member.name)}`}>
                  {makeToken && <MenuItem onSelect={() => makeToken(member)}>New token</MenuItem>}
                  <MenuItem onSelect={() => setAsked({ to: 'change', member })}>Change role</MenuItem>
                  <MenuItem danger onSelect={() => setAsked({ to: 'remove', member })}>
                    Remove from the team
                  </MenuItem>
                </Menu>
              ),
            },
          ]}
        />
      )}
      {asked?.to === 'change' && <RoleDialog member={asked.member} close={close} />}
      {asked?.to === 'remove' && (
        <RemoveDialog
          member={asked.member}
          onRemoved={(jobs) => setLeft(jobs > 0 ? { name: asked.member.name, jobs } : undefined)}
          close={close}
        />
      )}
      <MoreButton of={list}>More people</MoreButton>
    </>
  );
}

const COLUMNS: Column<Member>[] = [
  {
    name: 'Name',
    isHeading: true,
    className: 'named',
    cell: ({ name, email }) => (
      <>
        <UserLine text={name} />
        {email !== null && email !== name && (
          <span className="small muted given-line">
            <UserLine text={email} />
          </span>
        )}
      </>
    ),
  },
  { name: 'Role', cell: ({ role }) => role },
  {
    name: 'Joined',
    cell: (member) => (
      <>
        <Time at={member.created_at} />
        <span className="small muted given-line">{wayOf(member)}</span>
      </>
    ),
  },
  { name: 'Tokens', cell: ({ tokens }) => count(tokens) },
  { name: 'Sessions', cell: ({ sessions }) => count(sessions) },
  { name: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />) },
];

/** How somebody came into the team. */
function wayOf({ given_by: by, signs_in: signsIn }: Member): string {
  if (by === 'rule') return 'by the groups at sign-in';
  return signsIn ? 'invited' : 'with a token';
}

interface DialogProps {
  member: Member;
  close: () => void;
}
const refresh = () => queryClient.invalidateQueries({ queryKey: keys.people });

const ROLE: FormSchema<{ role: Role }> = [
  { choice: 'role', label: 'Role', options: ROLES.map((role) => [role, role]) },
];

const RoleDialog = ({ member, close }: DialogProps) => (
  <FormDialog<{ role: Role }>
    title="Change role"
    action="Change role"
    initial={{ role: member.role }}
    needs="owner"
    send={({ role }, options) => changeRole({ id: member.id, role }, options)}
    onDone={() => {
      close();
      return refresh();
    }}
    close={close}
  >
    <p>
      <UserText text={member.name} max={200} /> is {member.role} now. A token keeps its own role where that is lower.
    </p>
    {member.given_by === 'rule' && (
      <p>This role follows the groups at sign-in. It is changed there; an invitation gives a role that stays.</p>
    )}
    <Fields of={ROLE} />
  </FormDialog>
);

function RemoveDialog({ member, onRemoved, close }: DialogProps & { onRemoved: (jobs: number) => void }) {
  const remove = useAction(removeMember, async ({ running_jobs: jobs }) => {
    onRemoved(jobs);
    close();
    await Promise.all([refresh(), queryClient.invalidateQueries({ queryKey: keys.tokens })]);
  });
  const isPerson = member.kind === 'person';
  return (
    <ConfirmDialog
      title={isPerson ? 'Remove from the team?' : 'Remove this service account?'}
      action="Remove"
      isPending={remove.isPending}
      error={remove.error}
      act={() => remove.mutate(member)}
      close={close}
    >
      <p>
        <UserText text={member.name} max={200} />, {member.role}
      </p>
      <p>
        {count(member.tokens)} {member.tokens === 1 ? 'token' : 'tokens'} of this team stop working within seconds
        {isPerson && ', and pages that are open stop showing it'}. Runs, labels and everything else stay, with the name.
      </p>
      {isPerson && <p>Only an invitation brings somebody back, whatever their groups at sign-in.</p>}
    </ConfirmDialog>
  );
}
