import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useAction } from '../../../api/action';
import { givenInvitation, signIn } from '../../../api/session';
import { ErrorNotice } from '../../../ui/notices';
import { Skeleton } from '../../../ui/query-boundary';
import { Secret } from '../../../ui/secret';
import { Time } from '../../../ui/time';
import { UserText, visible } from '../../../ui/user-text';
import { expiryInWords } from '../../settings/parts/token-words';
import { signedInAddress } from '../address';
import {
  invitationQuery,
  joinTeam,
  joinWithToken,
  leaveFor,
  type ReadInvitation,
  switchTeam,
  whoIsSignedIn,
} from '../api';
import { waysQuery } from '../ways';
import { SignInWays } from '../parts/sign-in-ways';
import { Entrance } from './entrance';

/** Where the link of an invitation leads: which team it is for, and how to join. */
export function JoinScreen() {
  const invitation = givenInvitation();
  if (invitation === undefined)
    return (
      <Entrance title="Join a team">
        <p>The invitation is no longer in the address of this page. Open its link again.</p>
      </Entrance>
    );
  return <Invited invitation={invitation} />;
}

function Invited({ invitation }: { invitation: string }) {
  const { data: offer, error, refetch } = useQuery({ ...invitationQuery(invitation), retry: false });
  const { data: ways } = useQuery(waysQuery);
  const { data: me, isPending } = useQuery({
    queryKey: ['signed in now'],
    queryFn: whoIsSignedIn,
    retry: false,
  });
  if (error)
    return (
      <Entrance title="Join a team">
        <ErrorNotice error={error} retry={refetch} />
      </Entrance>
    );
  if (!offer || isPending)
    return (
      <Entrance title="Join a team">
        <Skeleton rows={5} />
      </Entrance>
    );
  const hasProviders = (ways?.providers.length ?? 0) > 0;
  return (
    <Entrance title={`Join ${visible(offer.team.slice(0, 100))}`}>
      <Offer offer={offer} />
      {me?.session?.provider != null ? (
        <JoinAs invitation={invitation} name={me.user.name} />
      ) : hasProviders ? (
        <SignInWays begin={(provider) => leaveFor(provider, signedInAddress(), invitation)} />
      ) : (
        <JoinByName invitation={invitation} />
      )}
    </Entrance>
  );
}

const Offer = ({ offer: { team, role, invited_by: by, expires_at: at } }: { offer: ReadInvitation }) => (
  <p>
    <UserText text={by} max={200} /> invites you to the team <UserText text={team} max={200} />, as {role}. The link
    ends <Time at={at} /> and works once.
  </p>
);

/** Somebody who is signed in at a provider may be in several teams. */
function JoinAs({ invitation, name }: { invitation: string; name: string }) {
  const join = useAction(joinTeam, (team) => switchTeam(team.id));
  return (
    <>
      {join.isError && <ErrorNotice error={join.error} />}
      <div className="actions">
        <button type="button" className="primary" disabled={join.isPending} onClick={() => join.mutate(invitation)}>
          Join as {visible(name)}
        </button>
      </div>
    </>
  );
}

const MAX_NAME = 100;

/** Where people do not sign in at a provider, they get a token. */
function JoinByName({ invitation }: { invitation: string }) {
  const router = useRouter();
  const [name, setName] = useState('');
  const join = useAction(joinWithToken);
  const { token, expires_at: end = null } = join.data?.token ?? {};
  const open = useAction(async () => {
    if (token !== undefined) await signIn(token);
    router.history.replace('/');
  });
  if (join.isSuccess)
    return (
      <>
        <Secret title="Your token" token={token} done={() => open.mutate(undefined)} action="Open Toolmark">
          <p>
            You sign in with it here and in the command line
            {end === null
              ? '.'
              : `, until ${expiryInWords(end)}. Before then, make another one under Settings › Your account.`}
          </p>
        </Secret>
        {open.isError && <ErrorNotice error={open.error} />}
      </>
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    join.mutate({ invitation, name: name.trim() });
  };
  return (
    <form className="fields" onSubmit={submit}>
      <div className="field">
        <label htmlFor="name">Your name</label>
        <input
          id="name"
          type="text"
          dir="auto"
          autoComplete="name"
          autoFocus
          required
          maxLength={MAX_NAME}
          value={name}
          aria-describedby="name-help"
          onChange={({ target }) => setName(target.value)}
        />
        <span id="name-help" className="muted small">
          The team sees it next to what you do.
        </span>
      </div>
      {join.isError && <ErrorNotice error={join.error} />}
      <div className="actions">
        <button type="submit" className="primary" disabled={join.isPending}>
          Join
        </button>
      </div>
    </form>
  );
}
