import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { MOST_COUNTED, unfinishedJobsQuery } from './features/jobs/api';
import { meQuery, signOut } from './api/session';
import { KeysHelp } from './keys-help';
import { useTeamEvents } from './live/team-events';
import { UserLine } from './ui/user-text';
import { useKeys } from './ui/keys';
import { StaleNotice } from './ui/notices';
import { nextTheme } from './ui/theme';

const PLACES = [
  ['/runs', 'Runs'],
  ['/suites', 'Suites'],
  ['/experiments', 'Experiments'],
  ['/gates', 'Gates'],
  ['/tunes', 'Tunes'],
  ['/prompts', 'Prompts'],
  ['/judge', 'Judge'],
  ['/operate', 'Operate'],
  ['/settings', 'Settings'],
] as const;

/** The frame of every screen: navigation, and the signed-in user. */
export function Shell() {
  const navigate = useNavigate();
  useTeamEvents();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys({
    'g h': () => void navigate({ to: '/' }),
    'g r': () => void navigate({ to: '/runs' }),
    'g s': () => void navigate({ to: '/suites' }),
    'g t': () => void navigate({ to: '/tunes' }),
    'g p': () => void navigate({ to: '/prompts' }),
    'g e': () => void navigate({ to: '/experiments' }),
    'g g': () => void navigate({ to: '/gates' }),
    'g o': () => void navigate({ to: '/operate/lanes' }),
    'g ,': () => void navigate({ to: '/settings/tokens' }),
    'g j': () => void navigate({ to: '/judge' }),
    '?': () => setHelpOpen(true),
    t: () => nextTheme(),
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
  });
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/" className="brand" activeProps={{}}>
          Toolmark
        </Link>
        <nav aria-label="Main">
          {PLACES.map(([to, name]) => (
            <Link key={to} to={to} activeOptions={{ includeSearch: false }}>
              {name}
            </Link>
          ))}
          <Jobs />
        </nav>
        <UserMenu openHelp={() => setHelpOpen(true)} />
      </header>
      <Content />
      {isHelpOpen && <KeysHelp close={() => setHelpOpen(false)} />}
    </div>
  );
}

/**
 * After navigation, moves the focus to the new content, so that a screen reader starts there, unless the screen has
 * moved it or the focused element still exists.
 */
function Content() {
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const content = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  useEffect(() => {
    const isWithin = content.current?.contains(document.activeElement) ?? false;
    if (before.current !== undefined && before.current !== pathname && !isWithin)
      content.current?.focus({ preventScroll: true });
    before.current = pathname;
  }, [pathname]);
  return (
    <main id="content" className="content" tabIndex={-1} ref={content}>
      <StaleNotice />
      <Outlet />
    </main>
  );
}

/** A link to running and waiting jobs, with their number. */
function Jobs() {
  const { data } = useQuery(unfinishedJobsQuery);
  const unfinished = data?.items.length ?? 0;
  return (
    <Link to="/jobs" activeOptions={{ includeSearch: false }}>
      Jobs{' '}
      {unfinished > 0 && (
        <span className="badge">
          {unfinished > MOST_COUNTED ? `${MOST_COUNTED}+` : unfinished}
          <span className="unseen"> unfinished</span>
        </span>
      )}
    </Link>
  );
}

function UserMenu({ openHelp }: { openHelp: () => void }) {
  const navigate = useNavigate();
  const { data: me } = useQuery(meQuery);
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => navigate({ to: '/sign-in' }) });
  return (
    <div className="who">
      {me && (
        <span className="small muted" title={`${me.user.name}, ${me.role} of the team ${me.team.name}`}>
          <UserLine text={`${me.user.name}, ${me.role}`} />
        </span>
      )}
      <button type="button" className="plain" onClick={openHelp} title="?">
        Keys
      </button>
      <button type="button" className="plain" onClick={() => nextTheme()} title="t">
        Theme
      </button>
      <button type="button" className="plain" onClick={() => leave.mutate()} disabled={leave.isPending}>
        Sign out
      </button>
    </div>
  );
}
