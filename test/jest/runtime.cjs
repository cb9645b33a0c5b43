const { default: Runtime } = require('jest-runtime');

/** By project. */
const shared = new Map();

/**
 * A runtime that all test files of a jest worker share: what they import is loaded and linked once a worker, not once a
 * file. What a module keeps in its variables is kept from file to file; test/after-file.ts undoes what belongs to one.
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
    // Jest's own runner keeps the tests of the file that has ended.
    const internal = this.registries.getInternalCjsRegistry();
    for (const path of internal.keys()) if (path.includes('/jest-circus/')) internal.delete(path);
    delete this._environment.global[Symbol.for('EVENT_HANDLERS')];
    this.jestGlobals.clearJestObjectCache();
    this.testState.state = 'loading';
  }
};
