import type { SuiteExportFormat } from '#lib/contracts/import';
import type { SuiteFile } from '#lib/contracts/suite';
import { exportCsv } from './csv-suite.js';
import { exportBfcl, type BfclPart } from './export-bfcl.js';
import { exportJsonl } from './jsonl-suite.js';
import { exportYaml } from './yaml-suite.js';

export const SUITE_CONTENT_TYPES: Record<Exclude<SuiteExportFormat, 'json'>, { type: string; ending: string }> = {
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv' },
  bfcl: { type: 'application/x-ndjson; charset=utf-8', ending: 'bfcl.jsonl' },
  jsonl: { type: 'application/x-ndjson; charset=utf-8', ending: 'jsonl' },
  yaml: { type: 'application/yaml; charset=utf-8', ending: 'yaml' },
};

/** A suite in another format than its own JSON, piece by piece. */
export function exportSuite(suite: SuiteFile, format: Exclude<SuiteExportFormat, 'json'>, part: BfclPart): Iterable<string> {
  switch (format) {
    case 'bfcl':
      return exportBfcl(suite, part);
    case 'csv':
      return exportCsv(suite);
    case 'jsonl':
      return exportJsonl(suite);
    case 'yaml':
      return exportYaml(suite);
  }
}
