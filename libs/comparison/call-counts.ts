import { TOOL_LABELS } from '#lib/contracts/values/verdicts';
import { NO_CALL, UNKNOWN_TOOL } from '#lib/db/read/case-measurements';
import type { Confusion } from './comparison-builder.js';

export const NONE = TOOL_LABELS.none;

/** The tool names used to read results, in lower case, and as the suite spells them. */
export class ToolNames {
  readonly lower: string[];
  readonly #names: string[];

  constructor(names: Iterable<string>) {
    const byLower = new Map([...names].map((name) => [name.toLowerCase(), name]));
    this.lower = [...byLower.keys()];
    this.#names = [...byLower.values()];
  }

  nameOf(index: number): string {
    return index === NO_CALL ? NONE : index === UNKNOWN_TOOL ? TOOL_LABELS.unknown : this.#names[index]!;
  }
}

/** How often each tool was called, by expected tool. */
export class CallCounts {
  readonly #counts = new Map<string, Map<number, { a: number; b: number }>>();

  constructor(readonly tools: ToolNames) {}

  /** @param called of each scored sample, in the format of `MeasuredCase` */
  add(side: 'a' | 'b', expected: string, called: string | null): void {
    let row = this.#counts.get(expected);
    if (!row) this.#counts.set(expected, (row = new Map()));
    for (const text of called?.split(' ') ?? []) {
      const index = Number(text);
      const cell = row.get(index);
      if (cell) cell[side]++;
      else row.set(index, { a: 0, b: 0, [side]: 1 });
    }
  }

  finish(): Confusion[] {
    return [...this.#counts].flatMap(([expected, row]) =>
      [...row].map(([index, counts]) => ({ expected, called: this.tools.nameOf(index), ...counts })),
    );
  }
}
