import type { SuiteExportFormat } from '#lib/contracts/import';
import { ExportAs } from './export-as';

const FILES: Record<SuiteExportFormat, { name: string; extension: string }> = {
  json: { name: 'JSON', extension: 'json' },
  yaml: { name: 'YAML', extension: 'yaml' },
  jsonl: { name: 'JSON Lines', extension: 'jsonl' },
  csv: { name: 'CSV', extension: 'csv' },
  bfcl: { name: 'BFCL (without what it cannot express)', extension: 'jsonl' },
};

/** A suite as a file, in each format. */
export function ExportSuite({ suiteId }: { suiteId: string }) {
  return (
    <ExportAs
      files={Object.entries(FILES).map(([format, { name, extension }]) => ({
        format,
        name,
        path: `/api/tool-suites/${encodeURIComponent(suiteId)}/export?format=${format}`,
        fileName: `suite-${suiteId}.${extension}`,
      }))}
    />
  );
}
