import { performance } from 'node:perf_hooks';

/** What a team did counts half as much after each of these. */
const HALF_LIFE_MS = 1000;
/** A team that did less than this is not present. */
const PRESENT = 0.05;
/** A request of so many tokens is as much work as two small ones. */
const TOKENS_PER_UNIT = 4000;
const CHECK_EVERY_MS = 10;
/** Idle time that is not used is remembered, as is busy time that is not made up for. */
const MOST_CREDIT_MS = 20;
const MOST_DEBT_MS = 100;
/** However busy the event loop is, one goes on after this. */
const MOST_WAIT_MS = 100;
const MOST_TOGETHER = 20;

/** What the event loop has done, in milliseconds. */
type LoopTimes = Pick<ReturnType<typeof performance.eventLoopUtilization>, 'idle' | 'active'>;

interface Waiting {
  tokens: number;
  go: () => void;
}

/**
 * Shares the event loop of this process between teams. Dispatch is fair between items, but a round of a conversation
 * follows the one before without passing it, and with a fast model the rounds of one team could keep the loop busy. So
 * while other teams send requests from here, a team that sent more than its share sends further rounds only as long as
 * the loop is idle for half of the time.
 */
export class RequestTurns {
  readonly #work = new Map<string, { units: number; at: number }>();
  readonly #waiting = new Map<string, Waiting[]>();
  #timer: NodeJS.Timeout | undefined;
  #before: LoopTimes = { idle: 0, active: 0 };
  #creditMs = 0;
  #lastAt = 0;
  /** Rounds that go on together share what they read and write. */
  #together = 1;

  constructor(readonly loopTimes: () => LoopTimes = () => performance.eventLoopUtilization()) {}

  /** Counts a request of a team, which has about so many tokens. */
  count(teamId: string, tokens: number): void {
    const units = this.#unitsOf(teamId) + 1 + tokens / TOKENS_PER_UNIT;
    this.#work.set(teamId, { units, at: performance.now() });
  }

  /**
   * Waits until a team may send the next request of a conversation, and counts it.
   * @throws the signal's reason when it aborts
   */
  async take(teamId: string, tokens: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isWithinShare(teamId)) return this.count(teamId, tokens);
    const { promise, resolve: go, reject } = Promise.withResolvers<void>();
    const all = this.#waiting.get(teamId) ?? [];
    const one = { tokens, go };
    this.#waiting.set(teamId, all);
    all.push(one);
    this.#start();
    const abort = (): void => {
      if (all.includes(one)) all.splice(all.indexOf(one), 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', abort));
  }

  #start(): void {
    if (this.#timer) return;
    this.#before = this.loopTimes();
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
  }

  #check(): void {
    const { idle, active } = this.loopTimes();
    const earned = idle - this.#before.idle - (active - this.#before.active);
    this.#before = { idle, active };
    this.#creditMs = Math.max(-MOST_DEBT_MS, Math.min(MOST_CREDIT_MS, this.#creditMs + earned));
    for (const teamId of this.#waiting.keys()) while (this.#isWithinShare(teamId) && this.#release(teamId));
    this.#together = this.#creditMs > 0 ? Math.min(this.#together + 1, MOST_TOGETHER) : Math.ceil(this.#together / 2);
    if (this.#creditMs > 0) for (let n = 0; n < this.#together && this.#release(this.#least()); n++);
    else if (performance.now() - this.#lastAt > MOST_WAIT_MS) this.#release(this.#least());
    for (const [teamId, waiting] of this.#waiting) if (waiting.length === 0) this.#waiting.delete(teamId);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** @returns whether one of the team's was waiting */
  #release(teamId: string): boolean {
    const one = this.#waiting.get(teamId)?.shift();
    if (!one) return false;
    this.#lastAt = performance.now();
    this.count(teamId, one.tokens);
    one.go();
    return true;
  }

  /** The team that did least of those that wait. */
  #least(): string {
    let least = '';
    for (const [teamId, { length }] of this.#waiting)
      if (length > 0 && (least === '' || this.#unitsOf(teamId) < this.#unitsOf(least))) least = teamId;
    return least;
  }

  #isWithinShare(teamId: string): boolean {
    let total = 0;
    for (const other of this.#work.keys()) {
      const units = this.#unitsOf(other);
      if (units < PRESENT) this.#work.delete(other);
      else total += units;
    }
    return this.#unitsOf(teamId) * this.#work.size <= total;
  }

  #unitsOf(teamId: string): number {
    const work = this.#work.get(teamId);
    return work ? work.units * 2 ** (-(performance.now() - work.at) / HALF_LIFE_MS) : 0;
  }
}
