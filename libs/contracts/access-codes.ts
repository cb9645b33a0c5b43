/** The codes of problems about who may come in, and with what. */
export const ACCESS_CODES = {
  token_expired: {
    means: 'The token has expired.',
    wayOut: 'Sign in, or ask an owner of the team for another one.',
    command: 'toolmark login',
  },
  not_in_team: {
    means: 'The person of the session is not in this team, or no longer.',
    wayOut: 'GET /api/me/teams lists the teams of the person. An owner of the team can invite.',
  },
  token_reads_only: {
    means: 'The token is limited to reading.',
    wayOut: 'Use a token without this limit.',
    params: ['token'],
  },
  token_suites: {
    means: 'The token is limited to some suites, and this is about more than those.',
    wayOut: 'Name one of its suites, which GET /api/me lists, or use a token without this limit.',
    params: ['token', 'suites'],
  },
  token_limited: {
    means: 'A token with limits may not make tokens or approve logins.',
    wayOut: 'Use a session of the page, or a token without limits.',
    params: ['token'],
  },
  service_account: {
    means: 'The token belongs to a service account, which cannot sign in on the page.',
    wayOut: 'Sign in as a person.',
  },
  wrong_address: {
    means: 'The page was opened at another address than the one that sign-in providers send people back to.',
    wayOut: 'Open `params.url`, which TOOLMARK_PUBLIC_URL sets.',
    params: ['url'],
  },
  provider_unavailable: {
    means: 'The sign-in provider does not answer, or not as it should.',
    wayOut: 'Try again in a few minutes. The log of the API says what is wrong.',
    params: ['provider'],
  },
  role_from_sign_in: {
    means: 'The role follows the groups of the person at the sign-in provider.',
    wayOut: 'Change the groups there, or send the person an invitation, whose role stays.',
  },
  last_owner: {
    means: 'Without this person nobody could manage the team.',
    wayOut:
      'Make somebody an owner who signs in, or create an owner token that does not expire first: POST /api/tokens.',
  },
  invitation_ended: {
    means: 'The invitation was used, withdrawn, or is too old.',
    wayOut: 'Ask an owner of the team for another one.',
    params: ['status'],
  },
  sign_in_needed: {
    means: 'People sign in here, so a token alone does not make a member.',
    wayOut: 'Open the link of the invitation in a browser, and sign in.',
  },
  authorization_pending: {
    means: 'Nobody has approved the login yet.',
    wayOut: 'Ask again after `interval_s` seconds.',
  },
  slow_down: {
    means: 'The login was asked about too often.',
    wayOut: 'Wait for `interval_s` seconds between requests.',
  },
  login_refused: { means: 'The login was refused in the browser.', wayOut: 'Begin another login.' },
  login_ended: {
    means: 'The login was not approved in time, or its token was already fetched.',
    wayOut: 'Begin another login.',
    command: 'toolmark login',
  },
} as const;
