// Who may import whom. The reasons stand in docs/architecture.md; a border is moved there first.
const lib = (...names) => `^libs/(${names.join('|')})/`;
const npm = (...names) => `node_modules/(${names.join('|')})(/|$)`;
/** Reads replies in every format, and knows no SDK. */
const REPLIES = '^libs/providers/(replies/|formats/([^/]+/reply|read-body|stored-reply)\\.ts$)';
const SPEC = '\\.spec\\.tsx?$';
const COMPARISON_READS = [
  '^libs/comparison/(compare-runs|read-counted|rank-run|page-items|common-cases|match-version|call-counts|side-totals)\\.ts$',
];
/** Threads that compare, and what they do. */
const COMPARISON_THREADS = ['^libs/comparison/threads/'];

/** What makes runs and decides by them. Each kind is a folder in libs, one in the worker and one in the API. */
const KINDS = ['gate', 'param-tune', 'prompt-tune', 'judge'];
const KINDS_OF_API = ['gates', 'param-tunes', 'prompt-tunes', 'judge'];
const anyOf = (names) => `(${names.join('|')})`;
/** What the page and the command line know of a kind, too. */
const KIND_CONTRACTS = `^libs/${anyOf([...KINDS, 'tuning'])}/(contract|kind)\\.ts$`;
/** The SQL of a kind. */
const KIND_ROWS = `^libs/${anyOf([...KINDS, 'tuning'])}/rows/`;
/** Files of a gate that measure two runs. */
const GATE_READS = ['^libs/gate/(measure-gate|critical-cases)\\.ts$'];

/** What the files of `from` may import of ours. */
const onlyOurs = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: SPEC },
  to: { path: '^(apps|libs|test|scripts|bench)/', pathNot: allowed },
});

/** Folders of one parent, from the ground up. Each may import what stands below it, never what stands above. */
const floors = (parent, ...names) =>
  names.slice(0, -1).map((name, level) => ({
    name: `floor-${parent.split('/').pop()}-${name}`,
    comment: `${names.join(' < ')}; see docs/architecture.md.`,
    severity: 'error',
    from: { path: `^${parent}/${name}/`, pathNot: SPEC },
    to: { path: `^${parent}/(${names.slice(level + 1).join('|')})/` },
  }));

/** An outside package and the folders that may import it. */
const owned = (names, owners, comment) => ({
  name: `owner-of-${names[0].replace(/\W/g, '-')}`,
  comment,
  severity: 'error',
  from: { path: '^(apps|libs)/', pathNot: [...owners, SPEC] },
  to: { path: npm(...names) },
});

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      comment: 'Files that need each other are one idea, or three.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'Install the package or mend the path.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'declared',
      severity: 'error',
      comment: 'A package that product code imports stands among the dependencies of package.json.',
      // What the page imports is built into it, and only that is shipped.
      from: { path: '^(apps|libs)/', pathNot: [SPEC, '^apps/web/'] },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-test-code',
      severity: 'error',
      comment: 'The product does not need its tests.',
      from: { path: '^(apps|libs)/', pathNot: SPEC },
      to: { path: `^(test|bench)/|${SPEC}` },
    },

    onlyOurs(
      'contracts-import-nothing',
      lib('contracts'),
      [lib('contracts'), KIND_CONTRACTS],
      'Contracts are shared with everyone, clients in the browser too.',
    ),
    onlyOurs(
      'values-import-values',
      '^libs/contracts/values/',
      ['^libs/contracts/values/'],
      'Lists and limits for the page and the command line, which load no schemas.',
    ),
    {
      name: 'values-and-page-load-no-zod',
      severity: 'error',
      comment: 'The page takes types of contracts, and the files among them that have no schemas.',
      from: { path: '^(libs/contracts/values|apps/web)/', pathNot: SPEC },
      to: { path: npm('zod'), dependencyTypesNot: ['type-only'] },
    },
    onlyOurs(
      'scoring-imports-contracts',
      lib('scoring'),
      [lib('scoring', 'contracts')],
      'Scoring is pure: the same words in, the same verdict out.',
    ),
    onlyOurs(
      'imports-import-contracts-scoring-and-recorded',
      lib('imports'),
      [lib('imports', 'contracts', 'scoring', 'recorded'), REPLIES, '^libs/runtime/yield-to-event-loop'],
      'Files in, suites out: no server is needed to read one.',
    ),
    {
      ...onlyOurs(
        'comparison-imports-contracts-and-statistics',
        lib('comparison'),
        [lib('comparison', 'contracts'), '^libs/scoring/statistics/'],
        'Two runs measured in, one comparison out: no database is needed for the figures and their words.',
      ),
      from: { path: lib('comparison'), pathNot: [SPEC, ...COMPARISON_READS, ...COMPARISON_THREADS] },
    },
    {
      ...onlyOurs(
        'comparison-threads-bring-all-together',
        lib('comparison'),
        [lib('comparison', 'contracts', 'runtime', 'scoring', 'db', 'gate')],
        'They read, compare, explain and store what a gate says, for the API and for workers.',
      ),
      from: { path: COMPARISON_THREADS, pathNot: SPEC },
    },
    {
      ...onlyOurs(
        'comparison-reads-results',
        lib('comparison'),
        [
          lib('comparison', 'contracts', 'runtime'),
          '^libs/scoring/(statistics/|conversation/merge\\.ts$)',
          '^libs/db/(read|connection)/',
        ],
        'These files bring the results of two runs of one team together.',
      ),
      from: { path: COMPARISON_READS },
    },
    onlyOurs(
      'contracts-of-kinds-import-contracts',
      KIND_CONTRACTS,
      [lib('contracts'), KIND_CONTRACTS],
      'What a kind says of itself is shared with everyone, as contracts are.',
    ),
    {
      ...onlyOurs(
        'kinds-import-contracts-and-statistics',
        lib(...KINDS, 'tuning'),
        [lib(...KINDS, 'tuning', 'contracts', 'comparison'), '^libs/scoring/statistics/'],
        'What is searched, asked and decided follows from what was measured: without a database, a clock or a queue.',
      ),
      from: { path: lib(...KINDS, 'tuning'), pathNot: [SPEC, KIND_ROWS, ...GATE_READS] },
    },
    {
      ...onlyOurs(
        'gates-read-results',
        lib('gate'),
        [lib('gate', 'contracts', 'comparison', 'runtime'), '^libs/scoring/statistics/', '^libs/db/(read|connection)/'],
        'These files measure two runs of one team.',
      ),
      from: { path: GATE_READS },
    },
    onlyOurs(
      'rows-of-kinds-import-db',
      KIND_ROWS,
      [lib(...KINDS, 'tuning', 'contracts', 'runtime', 'db')],
      'The statements of a kind stand on those that all kinds share.',
    ),
    {
      name: 'kinds-know-no-other-kind',
      comment: 'What two of them need is in tuning, or in what all kinds share.',
      severity: 'error',
      from: { path: `^(libs|apps/worker)/${anyOf(KINDS)}/` },
      to: { path: `^(libs|apps/worker)/${anyOf(KINDS)}/`, pathNot: '^(libs|apps/worker)/$2/' },
    },
    {
      name: 'kinds-of-the-api-know-no-other-kind',
      comment: 'What two of them need is in tunes, or in runs.',
      severity: 'error',
      from: { path: `^apps/api/${anyOf(KINDS_OF_API)}/`, pathNot: SPEC },
      to: { path: `^apps/api/${anyOf(KINDS_OF_API)}/`, pathNot: '^apps/api/$1/' },
    },
    {
      name: 'tuning-knows-no-kind',
      comment: 'It is what both tunes share.',
      severity: 'error',
      from: { path: '^(libs|apps/worker)/tuning/|^apps/api/tunes/', pathNot: SPEC },
      to: { path: `^(libs|apps/worker)/${anyOf(KINDS)}/|^apps/api/${anyOf(KINDS_OF_API)}/` },
    },
    onlyOurs(
      'counting-imports-contracts',
      lib('counting'),
      [lib('counting', 'contracts')],
      'Results in, figures out: without a database or a clock.',
    ),
    onlyOurs(
      'recorded-imports-contracts-scoring-and-replies',
      lib('recorded'),
      [lib('recorded', 'contracts', 'scoring'), REPLIES],
      'What others wrote down is read without an SDK, a server or a clock.',
    ),
    onlyOurs(
      'replies-import-contracts',
      REPLIES,
      [REPLIES, lib('contracts')],
      'A reply is read in the same way when it arrives and when it is found in a file.',
    ),
    onlyOurs(
      'mcp-imports-contracts-and-guarded-fetch',
      lib('mcp'),
      [lib('mcp', 'contracts', 'egress'), '^libs/providers/guarded/'],
      'Asking a server of tools needs the guarded client, and no more.',
    ),
    onlyOurs(
      'runtime-imports-contracts',
      lib('runtime'),
      [lib('runtime', 'contracts')],
      'The ground that the other folders stand on.',
    ),
    onlyOurs(
      'egress-imports-runtime',
      lib('egress'),
      [lib('egress', 'runtime', 'contracts')],
      'Where requests may go, and how they leave; providers and servers of tools are asked through it.',
    ),
    onlyOurs(
      'providers-import-egress',
      lib('providers'),
      [lib('providers', 'egress', 'contracts', 'runtime')],
      'Model APIs are asked through the guarded agent.',
    ),
    ...['db', 'queue', 'events'].map((name) =>
      onlyOurs(
        `${name}-imports-contracts-and-runtime`,
        lib(name),
        [lib(name, 'contracts', 'runtime')],
        'These folders know nothing of each other; a worker or the API brings them together.',
      ),
    ),
    onlyOurs(
      'client-imports-contracts',
      lib('client'),
      [lib('client', 'contracts')],
      'What a user of the API needs, and nothing of the server.',
    ),
    ...['api', 'worker', 'simulator', 'cli'].map((name) =>
      onlyOurs(
        `${name}-imports-no-other-app`,
        `^apps/${name}/`,
        [`^apps/${name}/`, '^libs/'],
        'Apps are separate processes; what two of them need is a lib.',
      ),
    ),
    onlyOurs(
      'web-imports-contracts-and-client',
      '^apps/web/',
      ['^apps/web/', lib('contracts', 'client'), KIND_CONTRACTS],
      'The page is a user of the API like any other, in a browser.',
    ),
    {
      name: 'web-screens-are-their-feature-s',
      comment: 'What two features need of one is in its api, its live or its parts.',
      severity: 'error',
      from: { path: '^apps/web/features/([^/]+)/' },
      to: { path: '^apps/web/features/[^/]+/(screens/|routes)', pathNot: '^apps/web/features/$1/' },
    },
    {
      name: 'web-floors',
      comment: 'styles < api, address < live, ui < features: api, live < parts < screens < routes < router.',
      severity: 'error',
      from: { path: '^apps/web/(api|live|ui)/' },
      to: { path: '^apps/web/(features/|router|shell|screen|signed-in|keys-help)' },
    },
    {
      name: 'web-parts-know-no-screen',
      comment: 'A part is used by screens, of its feature and of others.',
      severity: 'error',
      from: { path: '^apps/web/features/[^/]+/(api|live|parts)' },
      to: { path: '^apps/web/features/[^/]+/(screens/|routes)' },
    },
    ...floors('libs/db', 'connection', 'upkeep', 'catalogue', 'read', 'engine'),
    ...floors('libs/scoring', 'statistics', 'arguments', 'replies', 'cases', 'checks', 'house', 'metrics'),
    ...floors('libs/imports', 'source', 'traces', 'files', 'bfcl', 'promptfoo'),
    ...floors('libs/providers', 'waits', 'replies', 'guarded', 'dialects', 'formats', 'learned', 'hosts'),
    ...floors(
      'apps/worker',
      'health',
      'models',
      'scoring',
      'embeddings',
      'items',
      'orchestration',
      'tuning',
      anyOf(KINDS),
      'control',
    ),
    ...floors('apps/api', 'platform', 'threads', 'lanes', 'jobs', 'results', 'suites', 'runs', 'recorded'),
    ...floors('apps/api', 'tunes', anyOf(KINDS_OF_API)),
    {
      name: 'api-makes-no-verdict',
      severity: 'error',
      comment: 'Verdicts are made by workers. The API checks input, explains and lists.',
      from: { path: '^apps/api/', pathNot: SPEC },
      to: {
        path: lib('scoring'),
        pathNot:
          '^libs/scoring/(metrics|checks/|conversation/(check|warnings|merge)|cases/(rescore-options|stored-requests|tool-set)|house/explain|statistics/summarise)',
      },
    },
    {
      name: 'api-calls-no-model',
      severity: 'error',
      comment: 'Models are called by workers. The API only looks whether a provider answers.',
      from: { path: '^apps/api/', pathNot: SPEC },
      to: {
        path: lib('providers'),
        pathNot:
          '^libs/providers/(access|probe|templates|prices/|build-request|resolve-params|request-key|count-tokens|hosts/|guarded/(guarded-fetch|response-limits)\\.ts)',
      },
    },

    {
      name: 'api-reads-by-team',
      severity: 'error',
      comment:
        'Workers read rows of every team. The API reads through repositories of one team (libs/db/team-isolation.ts).',
      from: { path: '^apps/api/', pathNot: SPEC },
      to: { path: '^libs/(db/read|[a-z-]+/rows)/for-workers/', dependencyTypesNot: ['type-only'] },
    },

    {
      name: 'comparison-does-no-io',
      severity: 'error',
      comment: 'Figures and words follow from the measurements alone.',
      from: { path: lib('comparison'), pathNot: [SPEC, ...COMPARISON_READS, ...COMPARISON_THREADS] },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'core'],
        pathNot: '^(node:)?crypto$',
      },
    },
    {
      name: 'contracts-need-zod-alone',
      severity: 'error',
      comment: 'They are loaded by everyone; the examples, which the API alone loads, are read from a file.',
      from: { path: [lib('contracts'), KIND_CONTRACTS], pathNot: [SPEC, '^libs/contracts/examples/examples\\.ts$'] },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'core'],
        pathNot: npm('zod'),
      },
    },
    {
      name: 'scoring-does-no-io',
      severity: 'error',
      comment: 'No file, no network, no clock of the platform.',
      from: { path: lib('scoring'), pathNot: SPEC },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'core'],
        pathNot: npm('zod', 'ajv', 'ajv-draft-04', 're2js', 'lru-cache'),
      },
    },
    owned(['openai', '@anthropic-ai', '@google/genai'], ['^libs/providers/'], 'Models are called in one place.'),
    owned(
      ['undici'],
      ['^libs/(egress|providers|runtime)/'],
      'Requests that users can aim go through one guarded client.',
    ),
    owned(['csv-parse'], ['^libs/imports/'], 'Files in other formats are read in one folder.'),
    owned(['yaml'], ['^libs/imports/', '^libs/runtime/settings-file'], 'So are those of people; a setting is small.'),
    owned(['openid-client', 'jose'], ['^apps/api/sign-in/'], 'Sign-in providers are asked in one place.'),
    owned(['diff'], ['^apps/api/threads/diff-texts'], 'Texts are compared where they hold up nobody.'),
    owned(['@modelcontextprotocol'], ['^libs/mcp/'], 'Servers of tools are asked in one place.'),
    owned(['@prisma', 'prisma', 'pg'], ['^libs/db/'], 'SQL stands in one folder, behind transitions with names.'),
    owned(['@opentelemetry'], ['^libs/runtime/'], 'It is loaded only where there is a collector.'),
    owned(['bullmq'], ['^libs/queue/', '^apps/worker/'], 'Queues are an affair of dispatcher and worker.'),
    owned(['socket\\.io'], ['^apps/api/'], 'The live edge.'),
    {
      ...owned(['fast-check'], [], 'Its seed is set in test/fast-check.ts, and given to each call of test/fuzz.'),
      from: { path: '.', pathNot: '^test/(fast-check\\.ts$|fuzz/)' },
    },
    owned(['socket\\.io-client'], ['^libs/client/', '^apps/cli/'], 'The live edge, seen from outside.'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|libs/db/generated|test/tools)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['toolmark-source', 'import', 'node', 'types', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
