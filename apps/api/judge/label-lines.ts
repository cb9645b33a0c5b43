import { MAX_INPUT_ERRORS } from '#lib/contracts/input/input-errors';
import { fieldOf } from '#lib/contracts/input/pointer';
import { jsonPointer, ProblemError, type InputError } from '#lib/contracts/input/problem';
import { findUnstorable, mayBeUnstorable } from '#lib/contracts/json/storable';
import { LabelLine, MAX_LABEL_LINES } from '#lib/contracts/label';
import type { GivenLabel } from '#lib/judge/rows/store-labels';
import { parseResultId, resultIdOf } from '#lib/db/read/result-rows';
import { readTextLines, type TextStream } from '#lib/imports/source/text-stream';
import { badInput } from '../platform/bad-input.js';

/** A label with its line number in the file, or its position in the list, from 1. */
export type NumberedLabel = GivenLabel & { line: number };
type NumberedLine = LabelLine & { line: number };

/** An input error with its line number. */
export const faultOf = (line: number, { path, message }: InputError): InputError => ({
  path: `/labels/${line - 1}${path}`,
  message: `Line ${line}: ${path ? `${fieldOf(path)} ` : ''}${message}`,
});

/** @throws ProblemError 422 if there are any faults */
export function refuseLabels(faults: readonly InputError[]): void {
  if (faults.length === 0) return;
  const errors = faults.slice(0, MAX_INPUT_ERRORS);
  const count = faults.length < MAX_INPUT_ERRORS ? String(faults.length) : `at least ${MAX_INPUT_ERRORS}`;
  const faultCount = faults.length === 1 ? '1 fault' : `${count} faults`;
  throw new ProblemError(422, `The labels have ${faultCount}, and nothing was stored. ${errors[0]!.message}`, errors);
}

/** @throws ProblemError 422 naming each invalid label */
export const numberLabels = (labels: readonly LabelLine[]): NumberedLabel[] =>
  findItems(labels.map((label, index) => ({ ...label, line: index + 1 })));

/**
 * Reads labels line by line. Blank lines count, but are skipped.
 * @throws ProblemError 422 naming each invalid line
 */
export async function readLabelLines(text: string | TextStream): Promise<NumberedLabel[]> {
  const [labels, faults]: [NumberedLine[], InputError[]] = [[], []];
  let line = 0;
  for await (const written of readTextLines(text)) {
    line++;
    if (written.trim() === '') continue;
    if (labels.length >= MAX_LABEL_LINES) refuseMany();
    const label = readLine(written);
    if (Array.isArray(label)) faults.push(...label.map((fault) => faultOf(line, fault)));
    else labels.push({ ...label, line });
    if (faults.length >= MAX_INPUT_ERRORS) break;
  }
  refuseLabels(faults);
  if (labels.length === 0) throw new ProblemError(422, 'The lines contain no label.');
  return findItems(labels);
}

/** A label, or the faults of its line. */
function readLine(written: string): LabelLine | InputError[] {
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch (error) {
    return [{ path: '', message: `is not JSON: ${(error as Error).message}` }];
  }
  const { success, data, error } = LabelLine.safeParse(value);
  if (!success) return badInput(error.issues).errors!;
  const bad = mayBeUnstorable(written) ? findUnstorable(data) : undefined;
  return bad ? [{ path: jsonPointer(bad.path), message: bad.why }] : data;
}

/** @throws ProblemError 422 when a result occurs twice, or its id is invalid */
function findItems(lines: readonly NumberedLine[]): NumberedLabel[] {
  const [found, faults]: [NumberedLabel[], InputError[]] = [[], []];
  const lineOf = new Map<string, number>();
  for (const { line, result_id: id, label, note } of lines) {
    const item = parseResultId(id);
    const before = item && lineOf.get(resultIdOf(item));
    if (item && before === undefined) {
      lineOf.set(resultIdOf(item), line);
      found.push({ line, ...item, label, note: note || null });
    } else {
      const message = item ? `already has a label in line ${before}` : NO_RESULT;
      faults.push(faultOf(line, { path: '/result_id', message }));
    }
  }
  refuseLabels(faults);
  return found;
}
export const NO_RESULT = 'is not a result of this run';

function refuseMany(): never {
  throw new ProblemError(
    422,
    `There are more than ${MAX_LABEL_LINES.toLocaleString('en')} labels. Send them in several requests.`,
  );
}
