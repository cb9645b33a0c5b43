import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { beginSession, meQuery, resumeSession } from '../../../api/session';
import { startOver, whoIsSignedIn } from '../api';
import { announce } from '../../../api/session-news';
import { tab, type SessionState } from '../../../api/tab';
import { Dialog } from '../../../ui/dialog';
import { ErrorNotice } from '../../../ui/notices';
import { visible } from '../../../ui/user-text';
import { SignInWays } from './sign-in-ways';

/** Over the unchanged page, when the session has ended in the middle of something: nothing that was typed is lost. */
export function SessionDialog({ state }: { state: SessionState }) {
  if (state === 'set aside') return <SetAside />;
  return state === 'foreign' ? <SomebodyElse /> : <SignInAgain />;
}

/** Above the content, once the user has put the question aside. */
const SetAside = () => (
  <div className="problem" role="alert">
    <p>Your session has ended. Nothing can be loaded or saved until you sign in again.</p>
    <button type="button" onClick={tab.askAgain}>
      Sign in again
    </button>
  </div>
);

const WINDOW = 'popup,width=520,height=680';
const windowFor = (provider: string): string => `/sign-in/window?${new URLSearchParams({ provider })}`;

function SignInAgain() {
  /** The provider whose window the browser did not open. */
  const [blocked, setBlocked] = useState<string>();
  const { data: me } = useQuery(meQuery);
  const begin = (provider: string): void => {
    const opened = window.open(windowFor(provider), 'toolmark-sign-in', WINDOW);
    setBlocked(opened ? undefined : provider);
  };
  const enter = async (token: string): Promise<void> => {
    await beginSession(token);
    announce('signed in');
    await resumeSession();
  };
  return (
    <Dialog title="Your session has ended" close={tab.setAside}>
      <div className="section">
        <p>
          {me && `Sign in again as ${visible(me.user.name)}. `}
          This page stays unchanged, with everything that you have typed.
        </p>
        <SignInWays begin={begin} enter={enter}>
          {blocked !== undefined && (
            <p role="alert">
              Your browser blocked the window.{' '}
              <a href={windowFor(blocked)} target="_blank" rel="noreferrer">
                Sign in in a new tab
              </a>
            </p>
          )}
        </SignInWays>
        <div className="actions">
          <button type="button" onClick={tab.setAside}>
            Not now
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** Somebody else has signed in, or the same person for another team. What is typed here is not theirs to save. */
function SomebodyElse() {
  const { data: me } = useQuery(meQuery);
  const {
    data: now,
    error,
    refetch,
  } = useQuery({
    queryKey: ['signed in now'],
    queryFn: whoIsSignedIn,
    gcTime: 0,
    staleTime: 0,
  });
  const isSame = now !== undefined && now.person.id === me?.person.id;
  return (
    <Dialog title={isSame ? 'This page shows another team' : 'Somebody else has signed in'} close={tab.setAside}>
      {error && <ErrorNotice error={error} retry={refetch} />}
      {now && me && (
        <p>
          {isSame
            ? `You are signed in to the team ${visible(now.team.name)}; this page shows ${visible(me.team.name)}.`
            : `${visible(now.user.name)} is signed in; this page was opened by ${visible(me.user.name)}.`}{' '}
          What is typed here and not saved is lost when you start over.
        </p>
      )}
      <div className="actions">
        <button type="button" className="danger" disabled={!now} onClick={startOver}>
          {now ? `Start over as ${visible(now.user.name)}` : 'Start over'}
        </button>
        <button type="button" autoFocus onClick={tab.askAgain}>
          {me ? `Sign in as ${visible(me.user.name)}` : 'Sign in again'}
        </button>
      </div>
    </Dialog>
  );
}
