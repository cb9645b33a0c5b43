/** The lists that a word of an address may mean. */
const ADDRESS_OF_WORD: Record<string, string> = {
  run: '/runs',
  runs: '/runs',
  eval: '/runs',
  evals: '/runs',
  history: '/runs',
  results: '/runs',
  result: '/runs',
  suite: '/suites',
  suites: '/suites',
  case: '/suites',
  cases: '/suites',
  tools: '/suites',
  tune: '/tunes',
  tunes: '/tunes',
  prompt: '/prompts',
  prompts: '/prompts',
  experiment: '/experiments',
  experiments: '/experiments',
  gate: '/gates',
  gates: '/gates',
  compare: '/runs',
  judge: '/judge',
  job: '/jobs',
  jobs: '/jobs',
  queue: '/jobs',
  lane: '/operate/lanes',
  lanes: '/operate/lanes',
  operate: '/operate/lanes',
  provider: '/operate/providers',
  providers: '/operate/providers',
  models: '/operate/providers',
  spending: '/operate/spending',
  cost: '/operate/spending',
  settings: '/settings/tokens',
  tokens: '/settings/tokens',
  token: '/settings/tokens',
  cache: '/settings/cache',
  embedding: '/settings/embedding',
  teams: '/settings/teams',
  login: '/sign-in',
  signin: '/sign-in',
};

/** The likely target of an unknown address, by the first known word in it. */
export function nearestAddress(pathname: string): string | undefined {
  for (const word of pathname.slice(0, 500).toLowerCase().split('/')) {
    const meant = Object.hasOwn(ADDRESS_OF_WORD, word) ? ADDRESS_OF_WORD[word] : undefined;
    if (meant !== undefined && meant !== pathname) return meant;
  }
  return undefined;
}
