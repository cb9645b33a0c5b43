import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { toInputErrors } from '#lib/contracts/input/input-errors';
import type { InputError } from '#lib/contracts/input/problem';

const MAX_FAULTS_SHOWN = 20;
const MAX_LINE = 300;

/** Reads the text of a settings file as YAML. @returns what the schema makes of it, or every wrong place */
export function readSettings<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): { data: z.infer<Schema> } | { errors: InputError[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: 'core', lineCounter: lines, prettyErrors: false });
  const [fault] = document.errors;
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    return { errors: [{ path: '', message: `is not YAML at line ${line}, column ${col}: ${fault.message}` }] };
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return { errors: [{ path: '', message: `is not usable: ${(error as Error).message}` }] };
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? { data: parsed.data } : { errors: toInputErrors(parsed.error.issues) };
}

/** The wrong places of a settings file, for whoever starts a process: a heading, and a line for each. */
export function describeFaults(heading: string, errors: readonly InputError[]): string {
  const lines = errors
    .slice(0, MAX_FAULTS_SHOWN)
    .map(({ path, message }) => `  ${path.slice(1) || 'It'} ${message}`.slice(0, MAX_LINE));
  const more = errors.length > MAX_FAULTS_SHOWN ? ['  There are more problems.'] : [];
  return [heading, ...lines, ...more].join('\n');
}
