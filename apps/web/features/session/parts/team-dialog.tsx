import { useMutation, useQuery, useSuspenseQuery, type UseMutationResult } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { meQuery } from '../../../api/session';
import { Dialog } from '../../../ui/dialog';
import { ErrorNotice } from '../../../ui/notices';
import { naturalOrder } from '../../../ui/natural-order';
import { QueryBoundary } from '../../../ui/query-boundary';
import { finishOffers } from '../../../ui/undo';
import { hasUnsavedChanges } from '../../../ui/unsaved';
import { UserLine } from '../../../ui/user-text';
import { ownTeamsQuery, switchTeam, type OwnTeam } from '../api';
import css from './team-dialog.module.css';

interface Props {
  /** Where the other team is opened. Default: at its home. */
  address?: string;
  close: () => void;
}

/** Chooses another team of the user for this tab. */
export const TeamDialog = ({ address, close }: Props) => (
  <Dialog title="Change team" close={close}>
    <div className="section">
      <QueryBoundary rows={4}>
        <Teams address={address} />
      </QueryBoundary>
      <div className="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </div>
  </Dialog>
);

/** From how many teams on there is a filter. */
const MANY = 8;

export function Teams({ address }: { address?: string }) {
  const { items } = useSuspenseQuery(ownTeamsQuery).data;
  const { data: me } = useQuery(meQuery);
  const [filter, setFilter] = useState('');
  /** The team that would leave unsaved changes behind. */
  const [asked, setAsked] = useState<OwnTeam>();
  const id = useId();
  const change = useMutation({
    mutationFn: (team: OwnTeam) => finishOffers().then(() => switchTeam(team.id, address)),
  });
  const shown = items
    .filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()))
    .sort((one, other) => naturalOrder(one.name, other.name));
  if (asked) return <LeaveUnsaved change={change} team={asked} back={() => setAsked(undefined)} />;
  return (
    <div className={css.teams}>
      {items.length > MANY && (
        <div className="field">
          <label htmlFor={id}>Filter</label>
          <input
            id={id}
            type="text"
            dir="auto"
            autoComplete="off"
            maxLength={100}
            value={filter}
            onChange={({ target }) => setFilter(target.value)}
          />
        </div>
      )}
      {change.isError && <ErrorNotice error={change.error} />}
      <ul className={css.list} aria-label="Your teams">
        {shown.map((team) => (
          <li key={team.id}>
            <button
              type="button"
              className="plain"
              disabled={change.isPending || team.id === me?.team.id}
              aria-current={team.id === me?.team.id || undefined}
              onClick={() => (hasUnsavedChanges() ? setAsked(team) : change.mutate(team))}
            >
              <UserLine text={team.name} /> <span className="small muted">{team.role}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p role="status">No team of yours matches.</p>}
    </div>
  );
}

interface LeaveProps {
  team: OwnTeam;
  change: UseMutationResult<void, Error, OwnTeam>;
  back: () => void;
}

/** Drafts of forms wait in the tab for their team; other input does not. */
const LeaveUnsaved = ({ team, change, back }: LeaveProps) => (
  <div role="alert">
    <p>This page has changes that are not saved. They may be lost when you change to another team.</p>
    {change.isError && <ErrorNotice error={change.error} />}
    <div className="actions">
      <button type="button" className="danger" disabled={change.isPending} onClick={() => change.mutate(team)}>
        Change without saving
      </button>
      <button type="button" autoFocus onClick={back}>
        Back
      </button>
    </div>
  </div>
);
