// Every key of the query cache begins with one of these words: `invalidateQueries({queryKey: keys.runs})` refreshes
// all that is shown of runs.
export const keys = {
  me: ['me'],
  runs: ['runs'],
  runLists: ['runs', 'list'],
  run: (id: string) => ['runs', id],
  results: (runId: string) => ['runs', runId, 'results'],
  suites: ['suites'],
  suite: (id: string) => ['suites', id],
  cases: (suiteId: string) => ['suites', suiteId, 'cases'],
  providers: ['providers'],
  experiments: ['experiments'],
  jobs: ['jobs'],
  tunes: ['tunes'],
  tuneLists: ['tunes', 'list'],
  tune: (id: string) => ['tunes', id],
  arms: (tuneId: string) => ['tunes', tuneId, 'arms'],
  presets: ['presets'],
  metrics: ['metrics'],
} as const;
