import type { LabelDraw, LabelName } from '#lib/contracts/label';

/** A processed result: its label, or null if it was skipped. */
export interface Step {
  draw: LabelDraw;
  label: LabelName | null;
  note: string;
}

/** The state of a labelling session. */
export interface Labelling {
  steps: readonly Step[];
  /** Undone results, latest first: they are labelled before all others. */
  undone: readonly LabelDraw[];
}

export const EMPTY_LABELLING: Labelling = { steps: [], undone: [] };

const keyOf = ({ eval_id: runId, result: { id } }: LabelDraw): string => `${runId} ${id}`;

/** Results still to label, in order. The API draws skipped ones again; they are left out here. */
export function remaining(drawn: readonly LabelDraw[], { steps, undone }: Labelling): LabelDraw[] {
  const done = new Set(steps.map(({ draw }) => keyOf(draw)));
  const left = new Map([...undone, ...drawn].map((draw) => [keyOf(draw), draw]));
  return [...left].filter(([key]) => !done.has(key)).map(([, draw]) => draw);
}

export const withStep = ({ steps, undone }: Labelling, step: Step): Labelling => ({
  steps: [...steps, step],
  undone: undone.filter((draw) => keyOf(draw) !== keyOf(step.draw)),
});

export function undoneOnce({ steps, undone }: Labelling): Labelling {
  const last = steps.at(-1);
  return last ? { steps: steps.slice(0, -1), undone: [last.draw, ...undone] } : { steps, undone };
}

export const withoutSkips = ({ steps, undone }: Labelling): Labelling => ({
  steps: steps.filter(({ label }) => label !== null),
  undone,
});

export const skipCount = ({ steps }: Labelling): number => steps.filter(({ label }) => label === null).length;
