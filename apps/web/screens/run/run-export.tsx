import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { EXPORT_FORMATS, exportPath, type ExportFormat } from '../../api/runs';
import { Failed } from '../../parts/failed';
import { saveFile } from '../../parts/save-file';

const MEGABYTE = 1e6;

/** Reads a run as a file, piece by piece, and gives it to the reader. */
export function RunExport({ runId }: { runId: string }) {
  const [bytes, setBytes] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = useMutation({
    mutationFn: async (format: ExportFormat) => {
      running.current = new AbortController();
      const [, , extension] = EXPORT_FORMATS.find(([key]) => key === format)!;
      const { signal } = running.current;
      await saveFile(exportPath(runId, format), `toolmark-${runId}.${extension}`, { signal, onBytes: setBytes });
    },
    onSettled: () => setBytes(0),
  });
  if (save.isPending)
    return (
      <button type="button" onClick={() => running.current?.abort()}>
        Stop the export{bytes > MEGABYTE && ` (${Math.floor(bytes / MEGABYTE)} MB)`}
      </button>
    );
  return (
    <>
      <select
        aria-label="Export as"
        value=""
        onChange={({ target }) => target.value && save.mutate(target.value as ExportFormat)}
      >
        <option value="">Export as ...</option>
        {EXPORT_FORMATS.map(([format, name]) => (
          <option key={format} value={format}>
            {name}
          </option>
        ))}
      </select>
      {save.isError && save.error.name !== 'AbortError' && <Failed error={save.error} />}
    </>
  );
}
