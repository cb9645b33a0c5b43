import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { client } from '../api/client';
import { Menu, MenuItem } from './menu';
import { ErrorNotice } from './notices';

const MEGABYTE = 1e6;

interface ExportFile<Format extends string> {
  format: Format;
  /** The label of the format. */
  name: string;
  /** The path of the file in the API. */
  path: string;
  /** The name under which the file is saved. */
  fileName: string;
}

interface Export {
  start: (path: string, fileName: string) => void;
  isPending: boolean;
  /** Stops it while it lasts, or says why it failed. */
  state: ReactNode;
}

/** Saves files of the API. A file is streamed in chunks, and can be cancelled. */
export function useExport(): Export {
  const [bytes, setBytes] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const save = useMutation({
    mutationFn: async ({ path, fileName }: { path: string; fileName: string }) => {
      running.current = new AbortController();
      await saveFile(path, fileName, { signal: running.current.signal, onBytes: setBytes });
    },
    onSettled: () => setBytes(0),
  });
  return {
    start: (path, fileName) => save.mutate({ path, fileName }),
    isPending: save.isPending,
    state: save.isPending ? (
      <button type="button" onClick={() => running.current?.abort()}>
        Stop the export{bytes > MEGABYTE && ` (${Math.floor(bytes / MEGABYTE)} MB)`}
      </button>
    ) : (
      save.isError && save.error.name !== 'AbortError' && <ErrorNotice error={save.error} />
    ),
  };
}

/** A menu of formats. */
export function ExportAs<Format extends string>({ files }: { files: readonly ExportFile<Format>[] }) {
  const { start, isPending, state } = useExport();
  if (isPending) return state;
  return (
    <>
      <Menu label="Export" button="Export">
        {files.map(({ format, name, path, fileName }) => (
          <MenuItem key={format} onSelect={() => start(path, fileName)}>
            {`Export as ${name}`}
          </MenuItem>
        ))}
      </Menu>
      {state}
    </>
  );
}

/**
 * Reads a file from the API in chunks, and saves it. Each chunk is a separate Blob: the browser may put those on disk,
 * while one string would stay in memory.
 * @param onBytes called for every megabyte
 */
async function saveFile(
  path: string,
  name: string,
  { signal, onBytes }: { signal: AbortSignal; onBytes?: (bytes: number) => void },
): Promise<void> {
  const pieces: Blob[] = [];
  let bytes = 0;
  let shown = 0;
  for await (const text of client.download(path, { signal })) {
    const piece = new Blob([text]);
    pieces.push(piece);
    bytes += piece.size;
    if (bytes - shown > MEGABYTE) onBytes?.((shown = bytes));
  }
  offerDownload(new Blob(pieces), name);
}

function offerDownload(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  // By then the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
