import type { z } from 'zod';
import { CaseInput } from '#lib/contracts/case';
import { GateInput, GateRunInput, GateUpdate } from '#lib/gate/contract';
import { LabelsInput } from '#lib/contracts/label';
import { McpImportInput } from '#lib/contracts/mcp';
import { ParamPresetInput, ParamTuneInput } from '#lib/param-tune/contract';
import { PromptTuneInput } from '#lib/prompt-tune/contract';
import { PromptVersionInput } from '#lib/contracts/prompt-version';
import { ProviderInput, ProviderPatch } from '#lib/contracts/provider';
import { RecordedInput } from '#lib/contracts/recorded';
import { RunInput } from '#lib/contracts/run-input';
import { CasesInput, SuiteInput, SuitePatch, SuiteReplacement } from '#lib/contracts/suite';
import { TryInput } from '#lib/contracts/try';

/** Schemas of bodies that may be large, by the names under which a thread finds them. */
export const LARGE_BODIES = {
  CaseInput,
  CasesInput,
  GateInput,
  GateRunInput,
  GateUpdate,
  LabelsInput,
  McpImportInput,
  ParamPresetInput,
  ParamTuneInput,
  PromptTuneInput,
  PromptVersionInput,
  ProviderInput,
  ProviderPatch,
  RecordedInput,
  RunInput,
  SuiteInput,
  SuitePatch,
  SuiteReplacement,
  TryInput,
} satisfies Record<string, z.ZodType>;
export type LargeBodyName = keyof typeof LARGE_BODIES;

/** @throws Error for a schema that is not in `LARGE_BODIES` */
export function nameOfSchema(schema: z.ZodType): LargeBodyName {
  const found = Object.entries(LARGE_BODIES).find(([, one]) => (one as z.ZodType) === schema);
  if (!found) throw new Error('Add the schema to LARGE_BODIES so that threads can find it.');
  return found[0] as LargeBodyName;
}

/** The bytes of a body and how a thread parses them. */
export interface LargeBodyTask {
  bytes: Uint8Array<ArrayBuffer>;
  /** The charset in Content-Type. */
  charset: string | undefined;
  /** Maximum number of JSON values. */
  maxValues: number;
  /** Numbers stay as they were written. */
  keepsNumbers: boolean;
  /** The schema of the body. */
  schema?: LargeBodyName;
  /** The list in the body whose entries are passed on one by one, if it is a list. */
  entriesOf?: string;
}

/** A body that is valid JSON and matches its schema, if it has one. */
export interface LargeBodyText {
  /** Its JSON, with numbers as precise as the route takes them; undefined for an empty body. */
  text: string | undefined;
  /** JSON of the entries of the requested list, which `text` then lacks. */
  entries?: string[];
}

/** Reads a team's bodies outside of the API's own thread, in turns. */
export interface LargeBodyReader {
  /** @throws ProblemError: the faults of the body; 422 beyond the limits of a thread; 429 */
  readBody(teamId: string, task: LargeBodyTask): Promise<LargeBodyText>;
}

/** A large JSON body that its route reads itself, as texts. */
export class LargeJson {
  constructor(
    readonly text: string,
    readonly entries?: readonly string[],
  ) {}
}
