import { TestEnvironment } from 'jest-environment-node';

/**
 * Node, as jest has it, but a `beforeAll` that fails fails one test, and those that it was for are skipped: jest
 * itself counts one failure for each of them, though nobody looked at what they promise.
 */
export default class extends TestEnvironment {
  /** Blocks whose set-up failed, and whether a test has said so. */
  #failed = new Map();

  handleTestEvent({ name, hook, describeBlock, test }, state) {
    const failed = this.#blocksOf(describeBlock ?? test?.parent).filter((block) => this.#failed.has(block));
    const isTold = failed.some((block) => this.#failed.get(block));
    if (name === 'hook_failure' && hook.type === 'beforeAll') this.#failed.set(describeBlock, isTold);
    // Taking down what was never set up fails of itself, and would be told as if it were the cause.
    if (name === 'hook_failure' && hook.type === 'afterAll' && failed.length) state.unhandledErrors.pop();
    if (name === 'test_started') for (const block of failed) this.#failed.set(block, true);
    if (name === 'test_start' && isTold) Object.assign(test, { mode: 'skip', errors: [] });
    if (name === 'run_describe_start' && isTold) describeBlock.mode = 'skip';
  }

  /** A block and those around it. */
  #blocksOf(block) {
    return block ? [block, ...this.#blocksOf(block.parent)] : [];
  }
}
