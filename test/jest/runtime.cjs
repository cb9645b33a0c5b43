const { default: Runtime } = require('jest-runtime');

/** Runtimes by project. */
const shared = new Map();

/**
 * A runtime shared by all test files of a jest worker: imports are loaded and linked once per worker, not per file.
 * Module variables therefore outlive a test file; test/after-file.ts undoes the changes of one file.
 */
module.exports = class SharedRuntime extends Runtime {
  constructor(config, environment, ...rest) {
    const kept = shared.get(config.id);
    if (kept) return kept;
    super(config, environment, ...rest);
    shared.set(config.id, this);
  }

  teardown() {
    this.restoreAllMocks();
    // The module state of jest-circus still contains the tests of the previous file.
    const internal = this.registries.getInternalCjsRegistry();
    for (const path of internal.keys()) if (path.includes('/jest-circus/')) internal.delete(path);
    delete this._environment.global[Symbol.for('EVENT_HANDLERS')];
    this.jestGlobals.clearJestObjectCache();
    this.testState.state = 'loading';
  }
};
