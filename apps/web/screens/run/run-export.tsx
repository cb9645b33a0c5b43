import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../api/client';
import { EXPORT_FORMATS, exportPath, type ExportFormat } from '../../api/runs';
import { Failed } from '../../parts/failed';

const MEGABYTE = 1e6;

/** Reads a run as a file, piece by piece, and gives it to the reader. */
export function RunExport({ runId }: { runId: string }) {
  const [bytes, setBytes] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = useMutation({
    mutationFn: async (format: ExportFormat) => {
      running.current = new AbortController();
      const file = await fileOf(exportPath(runId, format), running.current.signal, setBytes);
      const [, , extension] = EXPORT_FORMATS.find(([key]) => key === format)!;
      give(file, `toolmark-${runId}.${extension}`);
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

/** Each piece is a Blob of its own: the browser may put those on its disk, where one string would be in memory. */
async function fileOf(path: string, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<Blob> {
  const pieces: Blob[] = [];
  let bytes = 0;
  let shown = 0;
  for await (const text of client.download(path, { signal })) {
    const piece = new Blob([text]);
    pieces.push(piece);
    bytes += piece.size;
    if (bytes - shown > MEGABYTE) onBytes((shown = bytes));
  }
  return new Blob(pieces);
}

function give(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
