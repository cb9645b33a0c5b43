import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState, type LinkProps } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import type { LucideIcon } from 'lucide-react';
import { MOST_COUNTED, unfinishedJobsQuery } from './features/jobs/api';
import { SearchButton } from './features/search/parts/search-button';
import { SessionGuard } from './features/session/parts/session-guard';
import { meQuery, signOut } from './api/session';
import { useTeamEvents } from './live/team-events';
import { UserLine } from './ui/user-text';
import { guideAddress } from './ui/guide';
import { Trail } from './ui/head';
import {
  Activity,
  BookOpen,
  ChevronDown,
  CircleHelp,
  FileText,
  FlaskConical,
  House,
  Icon,
  ListChecks,
  MenuIcon,
  Play,
  Plus,
  Scale,
  ServerCog,
  Settings,
  ShieldCheck,
  SlidersHorizontal,
  Users,
} from './ui/icons';
import { useKeys } from './ui/keys';
import { Menu, MenuAnchor, MenuItem, MenuLink, MenuSeparator } from './ui/menu';
import { StaleNotice } from './ui/notices';
import { nextTheme } from './ui/theme';
import { finishOffers, UndoOffers } from './ui/undo';

const TeamDialog = lazy(async () => ({ default: (await import('./features/session/parts/team-dialog')).TeamDialog }));
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help')).KeysHelp }));

interface Place {
  to: LinkProps['to'];
  name: string;
  icon: LucideIcon;
  /** Whether a phone shows it in its bar; the others are in the bar's menu. */
  isFrequent?: boolean;
}

const GROUPS: readonly { name?: string; places: readonly Place[] }[] = [
  {
    places: [
      { to: '/', name: 'Home', icon: House, isFrequent: true },
      { to: '/runs', name: 'Runs', icon: Play, isFrequent: true },
      { to: '/suites', name: 'Suites', icon: ListChecks, isFrequent: true },
    ],
  },
  {
    name: 'Improve',
    places: [
      { to: '/experiments', name: 'Experiments', icon: FlaskConical, isFrequent: true },
      { to: '/tunes', name: 'Tunes', icon: SlidersHorizontal },
      { to: '/prompts', name: 'Prompts', icon: FileText },
    ],
  },
  {
    name: 'Decide',
    places: [
      { to: '/gates', name: 'Gates', icon: ShieldCheck },
      { to: '/judge', name: 'Judge and labels', icon: Scale },
    ],
  },
];
const ACTIVITY: Place = { to: '/jobs', name: 'Activity', icon: Activity };
const FOOT: readonly Place[] = [
  { to: '/operate', name: 'Operate', icon: ServerCog },
  { to: '/settings', name: 'Settings', icon: Settings },
];

/** The frame of every screen: where one can go, where one is, and who one is. */
export function Shell() {
  useTeamEvents();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isTeamOpen, setTeamOpen] = useState(false);
  const openHelp = () => setHelpOpen(true);
  const openTeams = () => setTeamOpen(true);
  useShellKeys(openHelp);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <nav aria-label="Main" className="rail">
        <Link to="/" className="brand" activeProps={{}}>
          Toolmark
        </Link>
        {GROUPS.map(({ name, places }) => (
          <PlaceGroup key={places[0]!.name} name={name} places={places} />
        ))}
        <div className="places rail-foot">
          <ActivityLink />
          {FOOT.map((place) => (
            <PlaceLink key={place.name} {...place} />
          ))}
          <HelpMenu openKeys={openHelp} />
          <TeamMenu openKeys={openHelp} openTeams={openTeams} />
        </div>
        <MoreMenu openTeams={openTeams} />
      </nav>
      <div className="page">
        <header className="top">
          <Trail />
          <SearchButton openKeys={openHelp} />
          <Link to="/runs/new" className="button dense">
            <Icon of={Plus} /> New run
          </Link>
        </header>
        <Content />
      </div>
      <UndoOffers />
      <Suspense>
        {isHelpOpen && <KeysHelp close={() => setHelpOpen(false)} />}
        {isTeamOpen && <TeamDialog close={() => setTeamOpen(false)} />}
      </Suspense>
    </div>
  );
}

/** The keys that lead somewhere from everywhere. */
function useShellKeys(openHelp: () => void): void {
  const navigate = useNavigate();
  useKeys({
    'g h': () => void navigate({ to: '/' }),
    'g r': () => void navigate({ to: '/runs' }),
    'g s': () => void navigate({ to: '/suites' }),
    'g t': () => void navigate({ to: '/tunes' }),
    'g p': () => void navigate({ to: '/prompts' }),
    'g e': () => void navigate({ to: '/experiments' }),
    'g g': () => void navigate({ to: '/gates' }),
    'g o': () => void navigate({ to: '/operate/lanes' }),
    'g ,': () => void navigate({ to: '/settings/account' }),
    'g j': () => void navigate({ to: '/judge' }),
    '?': openHelp,
    t: () => nextTheme(),
    '/': () => document.querySelector<HTMLElement>('[data-filter]')?.focus(),
  });
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
      <SessionGuard />
      <StaleNotice />
      <Outlet />
    </main>
  );
}

const PlaceGroup = ({ name, places }: { name?: string; places: readonly Place[] }) => (
  <div className="places">
    {name !== undefined && <span className="rail-group">{name}</span>}
    {places.map((place) => (
      <PlaceLink key={place.name} {...place} />
    ))}
  </div>
);

const PlaceLink = ({ to, name, icon, isFrequent, children }: Place & { children?: ReactNode }) => (
  <Link
    to={to}
    className={isFrequent ? 'place frequent' : 'place'}
    title={name}
    activeOptions={{ exact: to === '/', includeSearch: false }}
  >
    <Icon of={icon} /> <span className="place-name">{name}</span>
    {children}
  </Link>
);

/** A link to running and waiting jobs, with their number. */
function ActivityLink() {
  const { data } = useQuery(unfinishedJobsQuery);
  const unfinished = data?.items.length ?? 0;
  return (
    <PlaceLink {...ACTIVITY}>
      {unfinished > 0 && (
        <span className="badge">
          {unfinished > MOST_COUNTED ? `${MOST_COUNTED}+` : unfinished}
          <span className="unseen"> unfinished</span>
        </span>
      )}
    </PlaceLink>
  );
}

const HelpMenu = ({ openKeys }: { openKeys: () => void }) => (
  <Menu
    label="Help"
    className="place"
    button={
      <>
        <Icon of={CircleHelp} /> <span className="place-name">Help</span>
      </>
    }
  >
    <MenuAnchor href={guideAddress('README')}>
      <Icon of={BookOpen} /> Guide
    </MenuAnchor>
    <MenuAnchor href={guideAddress('glossary')}>Glossary</MenuAnchor>
    <MenuAnchor href="/docs">API reference</MenuAnchor>
    <MenuItem onSelect={openKeys}>Keyboard shortcuts</MenuItem>
  </Menu>
);

function useSignOut(): () => void {
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: () => finishOffers().then(signOut),
    onSuccess: () => navigate({ to: '/sign-in' }),
  });
  return () => leave.mutate();
}

function TeamMenu({ openKeys, openTeams }: { openKeys: () => void; openTeams: () => void }) {
  const { data: me } = useQuery(meQuery);
  const leave = useSignOut();
  if (!me) return <span className="place" />;
  return (
    <Menu
      label="Team and user"
      className="place"
      button={
        <>
          <Icon of={Users} />
          <span className="place-name team-name">
            <UserLine text={me.team.name} />
            <span className="small muted">
              <UserLine text={`${me.user.name}, ${me.role}`} />
            </span>
          </span>
          <Icon of={ChevronDown} />
        </>
      }
    >
      <AccountItems openTeams={openTeams} />
      <MenuSeparator />
      <MenuItem onSelect={openKeys}>Keyboard shortcuts</MenuItem>
      <MenuItem onSelect={() => void nextTheme()}>Change theme</MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={leave}>Sign out</MenuItem>
    </Menu>
  );
}

/** Whoever signed in at a provider may be in several teams; a token is of one. */
function AccountItems({ openTeams }: { openTeams: () => void }) {
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <MenuLink to="/settings/account">Your account</MenuLink>
      {me?.session?.provider != null && <MenuItem onSelect={openTeams}>Change team</MenuItem>}
    </>
  );
}

/** On a phone, all that its bar has no room for. */
function MoreMenu({ openTeams }: { openTeams: () => void }) {
  const leave = useSignOut();
  return (
    <Menu
      label="More"
      className="place more-places"
      button={
        <>
          <Icon of={MenuIcon} /> <span className="place-name">More</span>
        </>
      }
    >
      {[...GROUPS.flatMap(({ places }) => places).filter(({ isFrequent }) => !isFrequent), ACTIVITY, ...FOOT].map(
        ({ to, name, icon }) => (
          <MenuLink key={name} to={to}>
            <Icon of={icon} /> {name}
          </MenuLink>
        ),
      )}
      <MenuSeparator />
      <AccountItems openTeams={openTeams} />
      <MenuAnchor href={guideAddress('README')}>Guide</MenuAnchor>
      <MenuItem onSelect={() => void nextTheme()}>Change theme</MenuItem>
      <MenuItem onSelect={leave}>Sign out</MenuItem>
    </Menu>
  );
}
