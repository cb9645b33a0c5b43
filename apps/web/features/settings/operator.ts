import { useQuery } from '@tanstack/react-query';
import type { Team } from '#lib/contracts/team';
import { client } from '../../api/client';
import { keys } from '../../api/keys';
import { queryClient } from '../../api/query-client';
import { meQuery, useRefusal, type Me } from '../../api/session';

/** The team whose owners operate the installation. */
const OPERATORS = 'default';

/** @param what they alone do: "create teams" @returns why the user may not; undefined if they may */
export function useOperatorRefusal(what: string): string | undefined {
  const { data: me } = useQuery(meQuery);
  const refusal = useRefusal('owner');
  return me?.team.name === OPERATORS ? refusal : `Only owners of the team “${OPERATORS}” ${what}.`;
}

const MAX_TEAMS = 2000;
/** The teams of the installation, for its operators: the first ones. */
export const allTeamsQuery = {
  queryKey: [...keys.teams, 'all'],
  queryFn: async (): Promise<Team[]> => {
    const teams: Team[] = [];
    for await (const team of client.all<Team>('/api/teams')) if (teams.push(team) === MAX_TEAMS) break;
    return teams;
  },
};

/** Reads, before a screen is shown, what operators choose from. */
export async function loadTeams(): Promise<Me | undefined> {
  const me = await queryClient.ensureQueryData(meQuery).catch(() => undefined);
  if (me?.role === 'owner' && me.team.name === OPERATORS)
    await queryClient.ensureQueryData(allTeamsQuery).catch(() => undefined);
  return me;
}
