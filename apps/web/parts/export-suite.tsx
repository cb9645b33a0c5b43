import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { SuiteExportFormat } from '#lib/contracts/import';
import { Failed } from './failed';
import { saveFile } from './save-file';

const FILES: Record<SuiteExportFormat, { name: string; extension: string }> = {
  json: { name: 'JSON', extension: 'json' },
  yaml: { name: 'YAML', extension: 'yaml' },
  jsonl: { name: 'JSON Lines', extension: 'jsonl' },
  csv: { name: 'CSV', extension: 'csv' },
  bfcl: { name: 'BFCL (without what it cannot express)', extension: 'jsonl' },
};

/** A suite as a file, in each format. */
export function ExportSuite({ suiteId }: { suiteId: string }) {
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = useMutation({
    mutationFn: (format: SuiteExportFormat) => {
      running.current = new AbortController();
      const path = `/api/tool-suites/${encodeURIComponent(suiteId)}/export?format=${format}`;
      return saveFile(path, `suite-${suiteId}.${FILES[format].extension}`, { signal: running.current.signal });
    },
  });
  if (save.isPending)
    return (
      <button type="button" onClick={() => running.current?.abort()}>
        Stop the export
      </button>
    );
  return (
    <>
      <select
        aria-label="Export as"
        value=""
        onChange={({ target }) => target.value && save.mutate(target.value as SuiteExportFormat)}
      >
        <option value="">Export as ...</option>
        {Object.entries(FILES).map(([format, { name }]) => (
          <option key={format} value={format}>
            {name}
          </option>
        ))}
      </select>
      {save.isError && save.error.name !== 'AbortError' && <Failed error={save.error} />}
    </>
  );
}
