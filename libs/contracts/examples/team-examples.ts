import { EXAMPLE_IDS, at, idOf } from './example-values.js';

const token = {
  id: EXAMPLE_IDS.token,
  name: 'Nightly run',
  role: 'editor',
  user: 'ci',
  expires_at: '2027-01-01T00:00:00.000Z',
  created_at: at('08:00:00'),
};
const secret = 'tm_7Fh2kQ9vXb4LsZ0cR6wYtE8nJ3mA5pGd';
const ownerToken = {
  ...token,
  id: idOf(72),
  name: 'first owner',
  role: 'owner',
  user: 'owner',
  expires_at: null,
  token: secret,
};
export const team = { id: EXAMPLE_IDS.team, name: 'search' };

const spent = {
  cost_usd: 3.2104,
  requests: 1204,
  results: 1200,
  prompt_tokens: 812_000,
  completion_tokens: 64_300,
  cache_read_tokens: 406_000,
  cache_write_5m_tokens: 20_480,
  cache_write_1h_tokens: 0,
  reasoning_tokens: 12_040,
  cache_hit_rate: 0.5,
};
const spentByDayAndModel = { ...spent, day: '2026-11-20', model: 'simulator::perfect-ish' };

export const TEAM_EXAMPLES = {
  Me: { 'An owner': { team, user: { id: EXAMPLE_IDS.user, name: 'Ada' }, role: 'owner' } },
  SessionInput: { 'A token': { token: secret } },
  Token: { 'A token that expires': token },
  TokenInput: {
    'A token for a pipeline': { name: 'Nightly run', role: 'editor', user: 'ci', expires_at: '2099-01-01T00:00:00Z' },
    'A token that only reads': { name: 'Dashboard', role: 'viewer' },
  },
  NewToken: { 'A token with its secret': { ...token, token: secret } },
  Team: { 'A team': { ...team, created_at: at('08:00:00') } },
  TeamInput: { 'A team': { name: 'search' } },
  NewTeam: { 'A team with its first token': { ...team, created_at: at('08:00:00'), token: ownerToken } },
  EmbeddingSetting: {
    'An embedding model': { provider_key: 'openai', model_id: 'text-embedding-3-small' },
    None: { provider_key: null, model_id: null },
  },
  CacheInput: { 'Thirty days': { lifetime_days: 30 } },
  CacheSetting: { 'Thirty days': { lifetime_days: 30, entries: 1240, bytes: 2_310_144 } },
  JobsSetting: { 'Four jobs': { running_jobs_per_user: 4 } },
  SpendingInput: { 'A hundred dollars a month': { monthly_cap_usd: 100 } },
  System: { 'Two workers': { version: '0.1.0', workers: { alive: 2 }, redis: 'up', postgres: 'up' } },
  Spending: { 'Part of the cap is spent': { monthly_cap_usd: 100, spent_usd: 12.43, month: '2026-11' } },
  SpendingFigures: { 'A day': spent },
  SpendingGroup: {
    'A day and a model': spentByDayAndModel,
    'A suite that was deleted, and a person': {
      ...spent,
      suite: { id: EXAMPLE_IDS.suite, name: 'Weather', deleted: true },
      person: { id: EXAMPLE_IDS.user, name: 'Ada' },
    },
  },
  SpendingReport: {
    'November by day and model': {
      from: '2026-11-01',
      to: '2026-11-30',
      by: ['day', 'model'],
      total: spent,
      items: [spentByDayAndModel],
    },
  },
};
