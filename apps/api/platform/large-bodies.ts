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

/** @throws Error for a schema that no thread would find */
export function nameOfSchema(schema: z.ZodType): LargeBodyName {
  const found = Object.entries(LARGE_BODIES).find(([, one]) => (one as z.ZodType) === schema);
  if (!found) throw new Error('Add the schema to LARGE_BODIES, so that threads find it.');
  return found[0] as LargeBodyName;
}

/** What a thread makes of the bytes of a body. */
export interface LargeBodyTask {
  bytes: Uint8Array<ArrayBuffer>;
  /** What Content-Type says of the charset. */
  charset: string | undefined;
  /** How many values it may hold. */
  maxValues: number;
  /** Numbers stay as they were written. */
  keepsNumbers: boolean;
  /** What the body is held to. */
  schema?: LargeBodyName;
  /** A list of the body whose entries are handed over one by one, if it is a list. */
  entriesOf?: string;
}

/** A body that is JSON, and fits its schema if it has one. */
export interface LargeBodyText {
  /** Its JSON, with numbers as far as the route takes them; undefined for an empty body. */
  text: string | undefined;
  /** JSON of the entries of the list that was asked for, which `text` then lacks. */
  entries?: string[];
}

/** Reads bodies of a team outside of the API's own thread, in turns. */
export interface LargeBodyReader {
  /** @throws ProblemError: what is wrong with the body; 422 beyond the limits of a thread; 429 */
  readBody(teamId: string, task: LargeBodyTask): Promise<LargeBodyText>;
}

/** A large body of JSON that its route reads by itself, as texts. */
export class LargeJson {
  constructor(
    readonly text: string,
    readonly entries?: readonly string[],
  ) {}
}
