/** The lists that can be meant by a word of an address. */
const MEANT: Record<string, string> = {
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
  login: '/sign-in',
  signin: '/sign-in',
};

/** What an unknown address most likely means, by the first of its words that is known. */
export function nearestAddress(pathname: string): string | undefined {
  for (const word of pathname.slice(0, 500).toLowerCase().split('/')) {
    const meant = Object.hasOwn(MEANT, word) ? MEANT[word] : undefined;
    if (meant !== undefined && meant !== pathname) return meant;
  }
  return undefined;
}
