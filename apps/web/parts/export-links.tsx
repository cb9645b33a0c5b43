import type { SuiteExportFormat } from '#lib/contracts/import';

const FILES: Record<SuiteExportFormat, { name: string; extension: string }> = {
  json: { name: 'JSON', extension: 'json' },
  yaml: { name: 'YAML', extension: 'yaml' },
  jsonl: { name: 'JSON Lines', extension: 'jsonl' },
  csv: { name: 'CSV', extension: 'csv' },
  bfcl: { name: 'BFCL (without what it cannot express)', extension: 'jsonl' },
};

/** A suite as a file, in each format. */
export function ExportLinks({ suiteId }: { suiteId: string }) {
  return (
    <ul className="links">
      {Object.entries(FILES).map(([format, { name, extension }]) => (
        <li key={format}>
          <a
            href={`/api/tool-suites/${encodeURIComponent(suiteId)}/export?format=${format}`}
            download={`suite-${suiteId}.${extension}`}
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}
