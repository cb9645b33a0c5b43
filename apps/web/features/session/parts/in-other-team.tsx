import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../../api/session';
import { UserText } from '../../../ui/user-text';
import { ownTeamsQuery } from '../api';
import { TeamDialog } from './team-dialog';

/** For an address that names nothing in this team: whoever is in several may look there. */
export function InOtherTeam() {
  const { data: me } = useQuery(meQuery);
  const { data: teams } = useQuery({ ...ownTeamsQuery, enabled: me?.session?.provider != null });
  const { href } = useLocation();
  const [isOpen, setOpen] = useState(false);
  if (!me || !teams || teams.items.length < 2) return null;
  return (
    <div className="notice">
      <p>
        This page shows the team <UserText text={me.team.name} max={200} />. The address may be of another team of
        yours.
      </p>
      <button type="button" onClick={() => setOpen(true)}>
        Look in another team
      </button>
      {isOpen && <TeamDialog address={href} close={() => setOpen(false)} />}
    </div>
  );
}
