import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's environment for Node, except that a failing `beforeAll` fails one test and skips the others of its block. Jest
 * itself reports a failure for each of them, although none of them ran.
 */
export default class extends TestEnvironment {
  /** Blocks whose set-up failed, and whether a test has reported it. */
  #failed = new Map();

  handleTestEvent({ name, hook, describeBlock, test }, state) {
    const failed = this.#blocksOf(describeBlock ?? test?.parent).filter((block) => this.#failed.has(block));
    const isTold = failed.some((block) => this.#failed.get(block));
    if (name === 'hook_failure' && hook.type === 'beforeAll') this.#failed.set(describeBlock, isTold);
    // Tearing down something that was never set up fails too, and would be reported as the cause.
    if (name === 'hook_failure' && hook.type === 'afterAll' && failed.length) state.unhandledErrors.pop();
    if (name === 'test_started') for (const block of failed) this.#failed.set(block, true);
    if (name === 'test_start' && isTold) Object.assign(test, { mode: 'skip', errors: [] });
    if (name === 'run_describe_start' && isTold) describeBlock.mode = 'skip';
  }

  /** A block and its enclosing blocks. */
  #blocksOf(block) {
    return block ? [block, ...this.#blocksOf(block.parent)] : [];
  }
}
