import { TOOL_LABELS } from '#lib/contracts/result';
import { NO_CALL, UNKNOWN_TOOL } from '#lib/db/read/case-measurements';
import type { Confusion } from './comparison-builder.js';

export const NONE = TOOL_LABELS.none;

/** Names of tools by which results are read, in lower case, and as the suite writes them. */
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

/** How often each tool was called where one was expected. */
export class CallCounts {
  readonly #counts = new Map<string, Map<number, { a: number; b: number }>>();

  constructor(readonly tools: ToolNames) {}

  /** @param called of each scored sample, as `MeasuredCase` has it */
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
