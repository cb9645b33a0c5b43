import { SubNav } from '../../../ui/sub-nav';

const PLACES = [
  { to: '/settings/tokens', name: 'Tokens' },
  { to: '/settings/embedding', name: 'Embedding' },
  { to: '/settings/cache', name: 'Cache' },
  { to: '/settings/jobs', name: 'Jobs' },
  { to: '/settings/judge', name: 'Judge' },
  { to: '/settings/teams', name: 'Teams' },
] as const;

export const SettingsNav = () => <SubNav label="Settings" places={PLACES} />;
