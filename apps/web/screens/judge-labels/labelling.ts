import type { LabelDraw, LabelName } from '#lib/contracts/label';

/** What was done with a result: a label, or null where it was skipped. */
export interface Step {
  draw: LabelDraw;
  label: LabelName | null;
  note: string;
}

/** What a person has done so far. */
export interface Labelling {
  steps: readonly Step[];
  /** What was undone, the last first: it is labelled before all else. */
  undone: readonly LabelDraw[];
}

export const NOTHING_DONE: Labelling = { steps: [], undone: [] };

export const keyOf = ({ eval_id: runId, result: { id } }: LabelDraw): string => `${runId} ${id}`;

/** What is to be labelled still, in order. What was skipped is drawn again by the API, and left out here. */
export function leftOf(drawn: readonly LabelDraw[], { steps, undone }: Labelling): LabelDraw[] {
  const done = new Set(steps.map(({ draw }) => keyOf(draw)));
  const left = new Map([...undone, ...drawn].map((draw) => [keyOf(draw), draw]));
  return [...left].filter(([key]) => !done.has(key)).map(([, draw]) => draw);
}

export const withStep = ({ steps, undone }: Labelling, step: Step): Labelling => ({
  steps: [...steps, step],
  undone: undone.filter((draw) => keyOf(draw) !== keyOf(step.draw)),
});

export function withoutLast({ steps, undone }: Labelling): Labelling {
  const last = steps.at(-1);
  return last ? { steps: steps.slice(0, -1), undone: [last.draw, ...undone] } : { steps, undone };
}

export const withoutSkips = ({ steps, undone }: Labelling): Labelling => ({
  steps: steps.filter(({ label }) => label !== null),
  undone,
});

export const skipsOf = ({ steps }: Labelling): number => steps.filter(({ label }) => label === null).length;
