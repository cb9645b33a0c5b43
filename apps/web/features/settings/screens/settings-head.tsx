import type { ReactNode } from 'react';
import { SubNav } from '../../../ui/sub-nav';

const PLACES = [
  { to: '/settings/tokens', name: 'Tokens' },
  { to: '/settings/embedding', name: 'Embedding' },
  { to: '/settings/cache', name: 'Cache' },
  { to: '/settings/jobs', name: 'Jobs' },
  { to: '/settings/judge', name: 'Judge' },
  { to: '/settings/teams', name: 'Teams' },
] as const;

/** The heading of a screen of settings, links to the others, and what the screen is about. */
export const SettingsHead = ({ title, children }: { title: string; children: ReactNode }) => (
  <>
    <h1>{title}</h1>
    <SubNav label="Settings" places={PLACES} />
    <p>{children}</p>
  </>
);
