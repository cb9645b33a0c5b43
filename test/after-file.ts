/** Clean-up steps, latest first. */
const steps: (() => unknown)[] = [];

/**
 * Runs a step when the current test file has ended, after its own `afterAll`. Modules outlive test files
 * (test/jest/runtime.cjs), so an `afterAll` in a module would run only for the first file.
 */
export function afterFile(step: () => unknown): void {
  steps.push(step);
}

/** Called by test/jest/environment.mjs. */
(globalThis as { endFile?: () => Promise<void> }).endFile = async () => {
  for (let step = steps.pop(); step; step = steps.pop()) await step();
};
