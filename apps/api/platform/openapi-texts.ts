/** Problem descriptions by status. */
export const PROBLEMS: Record<string, string> = {
  400: 'Not JSON, not UTF-8, or it does not fit the schema; `errors` says which field and why.',
  401: 'No token, or one that is unknown, revoked or expired; or a session that has ended.',
  403: 'The role of the token or session does not allow this.',
  404: 'There is no such id in this team.',
  408: 'The body broke off, or stopped arriving for a minute. Send it again.',
  409: 'The current state does not allow this, or the Idempotency-Key was used for another request.',
  413: 'The body is larger than its route takes, which its description says, or has more values.',
  415: 'The body has another content type than the route takes, or a charset that is not known; see Accept.',
  422:
    'It fits the schema, but its parts do not fit together, it names something that does not exist, or it ' +
    'holds text that cannot be stored.',
  429: 'The team has too many requests of this kind at once; see Retry-After.',
  503: 'The database cannot be reached at the moment; see Retry-After.',
};

/** Groups of routes, each named after a controller. */
export const TAGS: Record<string, string> = {
  Suites: 'Tools, and cases that give a prompt and the call that would be right.',
  Imports: 'Import suites from files, and export them to files.',
  Mcp: 'Make suites from the tools of MCP servers.',
  Runs: 'Suites played with models: estimates, runs, their results, and the jobs that carry them out.',
  TryOuts: 'One case, some models, at once: nothing is kept but what it cost.',
  Recorded: 'Runs whose replies were made elsewhere.',
  Metrics: 'Metrics that runs compute beside the house score.',
  Judge: 'Models that say of results whether they serve the user, and of two runs which is better.',
  Labels: 'What people say of results, and how far they confirm a judge.',
  Comparisons: 'Two runs, case by case: what changed, by how much, and how sure that is.',
  Experiments: 'Runs that belong together, compared with a baseline.',
  Gates: 'Decide whether a run may ship: whether it is not worse than a baseline, by rules fixed before.',
  ParamTunes: 'Search for the parameters with which models call tools best.',
  ParamPresets: 'Search spaces that the team keeps.',
  PromptTunes: 'Search for the texts with which models call tools best.',
  PromptVersions: 'Texts that models read in place of those of a suite.',
  Providers: 'The endpoints that requests go to, and their models.',
  Prices: 'What common hosts bill for their models.',
  Lanes: 'The queues of requests under the limits of a provider, and their current state.',
  Teams: 'Who you are, sessions of browsers, the tokens of a team, and teams.',
  Settings: 'Settings of a whole team.',
  Spending: 'What a team has spent, by day, model, suite and person.',
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
  results: { description: 'The id of the result, as the list of results has it.', example: '0-0-0' },
  failures: { description: 'The id of the group, as the list of groups has it.', example: '1-3' },
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
  'ISO 8601 in UTC. To follow jobs live, use Socket.IO on the same port, as docs/live.md ' +
  'of the repository describes.';
