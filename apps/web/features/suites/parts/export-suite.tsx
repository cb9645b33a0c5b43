import { ExportAs } from '../../../ui/export-as';

const FILES = [
  ['json', 'JSON', 'json'],
  ['yaml', 'YAML', 'yaml'],
  ['jsonl', 'JSON Lines', 'jsonl'],
  ['csv', 'CSV', 'csv'],
  ['csv&bom=true', 'CSV for Excel', 'csv'],
  ['bfcl', 'BFCL (unsupported parts left out)', 'jsonl'],
] as const;

/** A suite as a file, in each format. */
export function ExportSuite({ suiteId }: { suiteId: string }) {
  return (
    <ExportAs
      files={FILES.map(([format, name, extension]) => ({
        format,
        name,
        path: `/api/tool-suites/${encodeURIComponent(suiteId)}/export?format=${format}`,
        fileName: `suite-${suiteId}.${extension}`,
      }))}
    />
  );
}
