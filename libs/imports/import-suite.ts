import type { ImportFormat } from '#lib/contracts/import';
import { ProblemError } from '#lib/contracts/input/problem';
import type { SuiteFile } from '#lib/contracts/suite';
import { checkSuite, suiteHints } from './check-suite.js';
import { importBfcl } from './bfcl/import-bfcl.js';
import { importChatLogs } from './traces/import-chat-logs.js';
import { importLangfuse } from './traces/import-langfuse.js';
import { importOtlp } from './traces/import-otlp.js';
import { importPhoenix } from './traces/import-phoenix.js';
import { importPromptfoo } from './promptfoo/import-promptfoo.js';
import { importCsv } from './files/csv-suite.js';
import { readSource, type SuiteDraft, type ImportSource } from './source/import-source.js';
import { TextStream, readWholeText } from './source/text-stream.js';
import { importJsonl } from './files/jsonl-suite.js';
import { readNativeSuite } from './files/native-suite.js';
import { Warnings } from './source/warnings.js';
import { importYaml } from './files/yaml-suite.js';

type Convert = (source: ImportSource, warnings: Warnings) => SuiteDraft | Promise<SuiteDraft>;
const CONVERT: Record<Exclude<ImportFormat, 'native'>, Convert> = {
  bfcl: importBfcl,
  'chat-logs': importChatLogs,
  promptfoo: importPromptfoo,
  otlp: importOtlp,
  langfuse: importLangfuse,
  phoenix: importPhoenix,
  csv: importCsv,
  jsonl: importJsonl,
  yaml: importYaml,
};

/**
 * Reads a body in one of the formats. Returns a suite that can be saved, the JSON of each of its cases, and warnings
 * for its author. An invalid file is rejected as a whole.
 */
export async function importSuite(
  format: ImportFormat,
  body: unknown,
  name: string | undefined,
): Promise<{ suite: SuiteFile; written: string[]; warnings: string[] }> {
  const warnings = new Warnings();
  const draft =
    format === 'native'
      ? readNativeSuite(body instanceof TextStream ? await readWholeText(body) : body, name)
      : await CONVERT[format](readSource(body, name), warnings);
  if (draft.leaveOut && draft.suite.test_cases.length === 0) {
    throw new ProblemError(422, `Nothing in the file can be imported. ${warnings.list().slice(0, 3).join(' ')}`);
  }
  const { suite, written, warnings: found } = await checkSuite(draft);
  return { suite, written, warnings: [...warnings.list(), ...found, ...suiteHints(suite)] };
}
