import { codeOfStatus } from '../problem-codes.js';
import { DRIFT_EXAMPLE } from '../sample-drift.js';
import { QUOTA_NAMES } from '../values/quotas.js';

const longText = {
  path: '/report',
  rule: 'fuzzy',
  verdict: 'match',
  expected: 'Long.',
  actual: 'Long.',
  note: 'Longer than 20000 characters: compared exactly.',
};

const change = { field: 'limits.max_concurrency', before: 4, after: 8 };

/** Objects that are gone before a capture can request them, or too long to show. */
export const RARE_EXAMPLES = {
  AuditChange: { 'A limit': change },
  AuditEntry: {
    'A provider was changed': {
      id: '019aa8a2-5c1e-7000-8000-000000000181',
      at: '2026-11-20T09:00:14.000Z',
      action: 'provider.update',
      subject: 'openai',
      subject_name: null,
      team_id: '019aa8a2-5c1e-7000-8000-000000000001',
      user: { id: '019aa8a2-5c1e-7000-8000-000000000002', name: 'ada' },
      token: { id: '019aa8a2-5c1e-7000-8000-000000000071', name: 'Ada' },
      session_id: null,
      address: '192.0.2.7',
      request_id: '019aa8a2-5c1e-7000-8000-000000000191',
      changes: [change],
      cause: null,
      count: 1,
    },
    'A session ended': {
      id: '019aa8a2-5c1e-7000-8000-000000000182',
      at: '2026-11-20T09:10:00.000Z',
      action: 'session.delete',
      subject: '019aa8a2-5c1e-7000-8000-000000000171',
      subject_name: null,
      team_id: '019aa8a2-5c1e-7000-8000-000000000001',
      user: null,
      token: null,
      session_id: '019aa8a2-5c1e-7000-8000-000000000171',
      address: null,
      request_id: null,
      changes: [],
      cause: 'logout at the provider',
      count: 1,
    },
  },
  Counting: { 'A run that has just ended': { status: 'counting' } },
  SampleDrift: { 'Samples of another day': DRIFT_EXAMPLE },
  Concern: {
    'A suite that is worse': {
      kind: 'worse',
      text: 'Office assistant is worse since Nightly 8 (-9.0 points, prompt-sensitive).',
      suite: { id: '019aa8a2-5c1e-7000-8000-000000000011', name: 'Office assistant' },
      since: { id: '019aa8a2-5c1e-7000-8000-000000000012', name: 'Nightly 8' },
      run: { id: '019aa8a2-5c1e-7000-8000-000000000013', name: 'Nightly 12' },
      against: null,
      gate: null,
      result: null,
      lane: null,
      state: null,
      waiting: 0,
    },
  },
  Quota: { 'A quota that was set': { name: 'suites', limit: 2000, default: 1000, is_set: true, used: 1204 } },
  Quotas: {
    'A team': {
      team_id: '019aa8a2-5c1e-7000-8000-000000000001',
      team: 'search',
      quotas: [
        { name: 'suites', limit: 2000, default: 1000, is_set: true, used: 1204 },
        { name: 'cases', limit: 1000000, default: 1000000, is_set: false, used: 48210 },
      ],
    },
  },
  QuotasInput: {
    'One quota changed, the others back to the default': {
      quotas: Object.fromEntries(QUOTA_NAMES.map((name) => [name, name === 'suites' ? 2000 : null])),
    },
  },
  SessionPatch: { 'Another team': { team_id: '019aa8a2-5c1e-7000-8000-000000000001' } },
  SignInInput: {
    'An invitation': { back: '/runs', invitation: 'ti_8wG0bCqJ4m5n0c6o7pQkz1LJ3Y2vN9xT5hR4sUeKdFa' },
  },
  SignInOptions: { 'One provider': { providers: [{ id: 'company', name: 'Company account' }] } },
  SignInStart: {
    'A provider': {
      url: 'https://sso.example.com/authorize?client_id=toolmark&response_type=code&code_challenge_method=S256&...',
    },
  },
  Evidence: {
    'A long text': {
      pairs: [{ called: 0, expected: 0, param_score: 1, arguments: [longText] }],
      missing: [],
      unexpected: [],
    },
  },
};

/** Problems that a capture cannot provoke: an interrupted body, a team with many uploads, a lost database. */
export const RARE_PROBLEMS = {
  408: problem(
    408,
    'Request Timeout',
    'The body broke off, or stalled for too long: it may take 120 s in all, with at most 10 s between two chunks. ' +
      'Nothing was stored.',
  ),
  429: problem(429, 'Too Many Requests', 'Too many large files are being imported. Try again in a few seconds.'),
  503: problem(503, 'Service Unavailable', 'The database is unavailable at the moment. Try again in a few seconds.'),
};

function problem(status: number, title: string, detail: string): object {
  return { type: 'about:blank', title, status, detail, code: codeOfStatus(status), params: {} };
}
