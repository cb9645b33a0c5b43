import { Link, useLocation } from '@tanstack/react-router';
import { Head } from '../../../ui/head';
import { Icon, Search } from '../../../ui/icons';
import { UserText } from '../../../ui/user-text';
import { openPalette } from '../../search/parts/open-palette';

/** An unknown address: its likely target, and a search for its last word. */
export function NotFoundScreen() {
  const { pathname } = useLocation();
  const meant = nearestAddress(pathname);
  return (
    <>
      <Head title="Page not found" />
      <p>
        <code>
          <UserText text={pathname} max={300} />
        </code>{' '}
        is not a page of Toolmark.
        {meant && (
          <>
            {' '}
            Did you mean <Link to={meant}>{meant}</Link>?
          </>
        )}
      </p>
      <div className="actions">
        <button type="button" className="primary" onClick={() => openPalette(lastWord(pathname))}>
          <Icon of={Search} /> Search
        </button>
        <Link to="/" className="button">
          Home
        </Link>
      </div>
    </>
  );
}

/** "weather" of "/suits/weather": what was looked for, unless it is an id. */
function lastWord(pathname: string): string {
  const word = pathname.slice(0, 500).split('/').findLast(Boolean) ?? '';
  return /^[\p{L} _-]{2,60}$/u.test(word) ? word.replaceAll(/[_-]/g, ' ') : '';
}

/** The addresses that a word of another one may mean. */
const ADDRESSES = Object.entries({
  '/runs': ['run', 'runs', 'eval', 'evals', 'history', 'results', 'result', 'compare'],
  '/suites': ['suite', 'suites', 'case', 'cases', 'tools'],
  '/tunes': ['tune', 'tunes'],
  '/prompts': ['prompt', 'prompts'],
  '/experiments': ['experiment', 'experiments'],
  '/gates': ['gate', 'gates'],
  '/judge': ['judge'],
  '/jobs': ['job', 'jobs', 'queue'],
  '/operate/lanes': ['lane', 'lanes', 'operate'],
  '/operate/providers': ['provider', 'providers', 'models'],
  '/operate/spending': ['spending', 'cost'],
  '/settings/account': ['settings', 'account', 'profile', 'me'],
  '/settings/people': ['people', 'members', 'users', 'invite', 'invitations'],
  '/settings/tokens': ['tokens', 'token'],
  '/settings/sessions': ['sessions'],
  '/settings/cache': ['cache'],
  '/settings/embedding': ['embedding'],
  '/settings/teams': ['teams'],
  '/sign-in': ['login', 'signin', 'logout'],
});

/** The likely target of an unknown address, by the first known word in it. */
function nearestAddress(pathname: string): string | undefined {
  for (const word of pathname.slice(0, 500).toLowerCase().split('/')) {
    const meant = ADDRESSES.find(([, words]) => words.includes(word))?.[0];
    if (meant !== undefined && meant !== pathname) return meant;
  }
  return undefined;
}
