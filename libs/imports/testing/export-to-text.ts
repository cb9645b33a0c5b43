import type { SuiteExportFormat } from '#lib/contracts/import';
import type { SuiteFile } from '#lib/contracts/suite';
import type { BfclPart } from '../bfcl/export-bfcl.js';
import { exportSuite } from '../export-suite.js';

/** Returns an export as a single text. */
export async function exportToText(
  { test_cases, ...settings }: SuiteFile,
  format: SuiteExportFormat,
  part: BfclPart = 'all',
  bom = false,
): Promise<string> {
  const pages = test_cases.map((input) => [JSON.stringify(input)]);
  const usedFields = () => test_cases.flatMap((input) => Object.keys(input));
  let text = '';
  for await (const piece of exportSuite({ settings, pages, usedFields }, { format, part, bom })) text += piece;
  return text;
}
