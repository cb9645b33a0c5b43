import vm from 'node:vm';
import SetUpFailsOnce from './set-up-fails-once.mjs';

/** How long the steps of test/after-file.ts may take. */
const END_MS = 120_000;
/** Shared globals, by jest project. */
const shared = new Map();

/**
 * Jest creates a context whose globals go through a proxy, which is called on each use of one, be it `Math` or a loop
 * variable. A plain context has them like any script. https://nodejs.org/api/vm.html#vmconstantsdont_contextify
 */
function inPlainContext(construct) {
  const { createContext } = vm;
  vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
  try {
    construct();
  } finally {
    vm.createContext = createContext;
  }
}

/** The global scope that all test files of a jest worker share (runtime.cjs). */
export default class extends SetUpFailsOnce {
  constructor(config, context) {
    const { id } = config.projectConfig;
    const kept = shared.get(id);
    if (kept) return kept;
    inPlainContext(() => super(config, context));
    shared.set(id, this);
  }

  async handleTestEvent(event, state) {
    super.handleTestEvent(event, state);
    if (event.name !== 'run_finish' || !this.global.endFile) return;
    let timer;
    const late = new Promise((_, fail) => {
      timer = setTimeout(() => fail(new Error(`The clean-up of the file exceeded ${END_MS} ms.`)), END_MS);
    });
    await Promise.race([this.global.endFile(), late]).catch((error) => state.unhandledErrors.push(error));
    clearTimeout(timer);
  }

  async teardown() {} // The next file shares the scope.
}
