/** Problem descriptions by status. */
export const PROBLEMS: Record<string, string> = {
  400: 'Not JSON, not UTF-8, or it does not fit the schema; `errors` says which field and why.',
  401: 'The token is missing, unknown, revoked or expired, or the session has ended.',
  403: 'The role or a limit of the token or session does not allow this.',
  404: 'The team has nothing with this id.',
  408: 'The body broke off, or stalled for a minute. Send it again.',
  409: 'The current state does not allow this, or the Idempotency-Key was used for another request.',
  413: 'The body has more bytes or values than the route accepts; see its description.',
  415: 'The route does not accept this content type, or the charset is unknown; see Accept.',
  422:
    'The body fits the schema, but its parts do not fit together, it names something that does not exist, or it ' +
    'holds text that cannot be stored.',
  429:
    'The team has too many requests of this kind at once, or the token, the user or the address sent too many in the ' +
    'last minute; see Retry-After.',
  503: 'The database is unavailable; see Retry-After.',
};

/** Groups of routes, each named after a controller. */
export const TAGS: Record<string, string> = {
  KeyRefs: 'Keys that the operator keeps outside of Toolmark, for providers to name.',
  Suites: 'Tools, and cases with a prompt and the expected call.',
  Imports: 'Import suites from files, and export them to files.',
  Mcp: 'Create suites from the tools of MCP servers.',
  Runs: 'Suites played with models: estimates, runs, their results, and their jobs.',
  TryOuts: 'One case, some models, answered at once. Only the cost is kept.',
  Recorded: 'Runs whose replies were made elsewhere.',
  Metrics: 'Metrics that runs compute in addition to the house score.',
  Judge: 'Models that judge whether results serve the user, and which of two runs is better.',
  Labels: 'Verdicts of people on results, and how well they agree with a judge.',
  Comparisons: 'Two runs, case by case: what changed, by how much, and with what certainty.',
  Experiments: 'Runs that belong together, compared with a baseline.',
  Gates: 'Decide whether a run may ship: it must not be worse than a baseline, by rules fixed in advance.',
  GateEstimates: 'What a gate can show, and what a gate run takes, before anything is run.',
  ParamTunes: 'Search for the parameters with which models call tools best.',
  ParamPresets: 'Saved search spaces.',
  PromptTunes: 'Search for the texts with which models call tools best.',
  PromptVersions: 'Texts that replace those of a suite in a run.',
  Providers: 'The endpoints that requests go to, and their models.',
  Prices: 'What common hosts charge for their models.',
  Lanes: 'The queues of requests under the limits of a provider, and their current state.',
  Teams: 'Who you are, sessions of browsers, tokens, and teams.',
  Own: 'Your own teams, tokens and sessions.',
  Members: 'The people of a team, and its service accounts.',
  Invitations: 'Links that make people members of a team.',
  SignIn: 'How people sign in at OpenID Connect providers.',
  Kept: 'What a user keeps: views of lists, tags, and what their lists leave out.',
  Home: 'What needs somebody, and how it went.',
  Search: 'Find things by name, and how scores went.',
  Settings: 'Settings of a whole team.',
  Quotas: 'How much each team may have, and has.',
  Audit: 'Who changed what in a team, what workers changed and why, and what was refused; for owners.',
  Spending: 'What a team has spent, by day, model, provider, suite and person.',
  System: 'Whether the installation works.',
};

/** Path parameters, by the preceding segment or two. */
const PATH_PARAMETERS: Record<string, { description: string; example: string }> = {
  'tool-suites': { description: 'The id of the suite.', example: '019aa8a2-5c1e-7000-8000-000000000011' },
  versions: { description: 'The version of the suite: a number from 1.', example: '1' },
  cases: { description: 'The id of the case.', example: '019aa8a2-5c1e-7000-8000-000000000021' },
  history: {
    description: 'The id of the run: the `eval_id` of its submit.',
    example: '019aa8a2-5c1e-7000-8000-000000000031',
  },
  'param-tune/history': { description: 'The id of the tune.', example: '019aa8a2-5c1e-7000-8000-000000000111' },
  'prompt-tune/history': { description: 'The id of the tune.', example: '019aa8a2-5c1e-7000-8000-000000000112' },
  candidates: { description: 'The number of the candidate; 0 is the base.', example: '3' },
  'param-presets': { description: 'The id of the preset.', example: '019aa8a2-5c1e-7000-8000-000000000121' },
  'prompt-versions': {
    description: 'The id of the prompt version.',
    example: '019aa8a2-5c1e-7000-8000-000000000131',
  },
  results: { description: 'The id of the result, as in the list of results.', example: '0-0-0' },
  failures: { description: 'The id of the group, as in the list of groups.', example: '1-3' },
  jobs: { description: 'The id of the job.', example: '019aa8a2-5c1e-7000-8000-000000000041' },
  experiments: { description: 'The id of the experiment.', example: '019aa8a2-5c1e-7000-8000-000000000051' },
  gates: { description: 'The id of the gate.', example: '019aa8a2-5c1e-7000-8000-000000000101' },
  runs: { description: 'The id of the gate run.', example: '019aa8a2-5c1e-7000-8000-000000000091' },
  reports: { description: 'The id of the report.', example: '019aa8a2-5c1e-7000-8000-000000000141' },
  lanes: { description: 'The id of the lane.', example: '019aa8a2-5c1e-7000-8000-000000000061' },
  tokens: {
    description: 'The id of the token, which is not its secret.',
    example: '019aa8a2-5c1e-7000-8000-000000000071',
  },
  users: { description: 'The id of the member.', example: '019aa8a2-5c1e-7000-8000-000000000151' },
  invitations: { description: 'The id of the invitation.', example: '019aa8a2-5c1e-7000-8000-000000000161' },
  sessions: { description: 'The id of the session.', example: '019aa8a2-5c1e-7000-8000-000000000171' },
  'device-logins': { description: 'The code in the terminal, with or without its hyphen.', example: 'BCDF-GHJK' },
  views: { description: 'The list, such as `runs`.', example: 'runs' },
  marks: { description: '`run`, `suite` or `experiment`.', example: 'run' },
  'marks/{kind}': {
    description: 'The id of the run, suite or experiment.',
    example: '019aa8a2-5c1e-7000-8000-000000000031',
  },
  'sign-in': { description: 'The id of the sign-in provider.', example: 'company' },
  providers: { description: 'The `key` of the provider.', example: 'openai' },
};

/** The description of path parameter `name`. */
export function describePathParameter(path: string, name: string): object | undefined {
  const segments = path.split('/');
  const at = segments.indexOf(`{${name}}`);
  const parameter = PATH_PARAMETERS[segments.slice(at - 2, at).join('/')] ?? PATH_PARAMETERS[segments[at - 1]!];
  return parameter && { description: parameter.description, schema: { type: 'string', examples: [parameter.example] } };
}

export const INTRODUCTION =
  'Find out how well language models call tools. Errors are problem documents (RFC 9457). Lists ' +
  'answer `{items, next_cursor}`; pass `next_cursor` as `cursor` for the next page. Times are ' +
  'ISO 8601 in UTC. To follow jobs live, use Socket.IO on the same port; see docs/live.md ' +
  'of the repository.';
