import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { keys } from '../../../api/keys';
import { meQuery, type Me } from '../../../api/session';
import { count, money } from '../../../ui/amounts';
import { Section } from '../../../ui/query-boundary';
import { Time } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { useProviderName } from '../../session/parts/provider-name';
import { Teams } from '../../session/parts/team-dialog';
import { createOwnToken, deleteOwnToken, endOwnSession, ownSessionsQuery, ownTokensQuery } from '../access';
import { NewTokenForm } from '../parts/new-token';
import { SessionTable } from '../parts/session-table';
import { TokenTable } from '../parts/token-table';
import { expiryInWords } from '../parts/token-words';
import { SettingsPage } from './settings-page';

/** Who the user is, where they are signed in, and their own tokens. */
export function AccountScreen() {
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <SettingsPage title="Your account">
      <dl className="settings">
        {factsOf(me, useProviderName()).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {me.session?.provider != null && (
        <Section id="your-teams" title="Your teams" rows={1}>
          <Teams />
        </Section>
      )}
      <Section id="your-sessions" title="Your sessions" rows={2}>
        <SessionTable query={ownSessionsQuery} end={endOwnSession} />
      </Section>
      <NewTokenForm send={createOwnToken} refreshes={keys.ownTokens} needs="viewer" refusal={limitedReason(me)} />
      <Section id="your-tokens" title="Your tokens" rows={2}>
        <TokenTable query={ownTokensQuery} remove={deleteOwnToken} isOwner={false} />
      </Section>
    </SettingsPage>
  );
}

const isLimited = ({ token }: Me): boolean =>
  token !== null && (token.reads_only || token.suite_ids !== null || token.monthly_cap_usd !== null);

/** Why no token can be made in this session. */
const limitedReason = (me: Me): string | undefined =>
  isLimited(me) ? 'You signed in with a token that has limits, and it makes no others.' : undefined;

function factsOf(me: Me, nameOfProvider: (id: string) => string): [string, ReactNode][] {
  const { user, person, role, team, session, token } = me;
  const facts: [string, ReactNode][] = [['Name', <UserText key="name" text={user.name} max={200} />]];
  if (person.email !== null) facts.push(['Mail address', <UserText key="email" text={person.email} max={320} />]);
  facts.push(['Team', <UserText key="team" text={`${team.name}, ${role}`} max={300} />]);
  const way = session?.provider != null ? nameOfProvider(session.provider) : token && `the token ${token.name}`;
  if (way) facts.push(['Signed in with', <UserText key="way" text={way} max={300} />]);
  if (token) facts.push(['Token expires', expiryInWords(token.expires_at)]);
  if (token && isLimited(me)) facts.push(['Limits', <UserText key="limits" text={limitsInWords(token)} />]);
  if (session) facts.push(['Session ends', <Time key="ends" at={session.expires_at} />]);
  return facts;
}

const limitsInWords = (token: NonNullable<Me['token']>): string =>
  [
    token.reads_only && 'reads only',
    token.suite_ids && (token.suite_ids.length === 1 ? '1 suite' : `${count(token.suite_ids.length)} suites`),
    token.monthly_cap_usd !== null && `${money(token.monthly_cap_usd)} a month`,
  ]
    .filter(Boolean)
    .join(', ');
