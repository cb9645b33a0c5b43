/** What has to be undone, the latest first. */
const steps: (() => unknown)[] = [];

/**
 * Has a step made when the present test file has ended, after its own `afterAll`. Modules outlive test files
 * (test/jest/runtime.cjs), so an `afterAll` of a module would be that of the first file alone.
 */
export function afterFile(step: () => unknown): void {
  steps.push(step);
}

/** Called by test/jest/environment.mjs. */
(globalThis as { endFile?: () => Promise<void> }).endFile = async () => {
  for (let step = steps.pop(); step; step = steps.pop()) await step();
};
