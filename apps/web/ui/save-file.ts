import { client } from '../api/client';

const MEGABYTE = 1e6;

/**
 * Reads a file from the API in chunks, and saves it. Each chunk is a separate Blob: the browser may put those on disk,
 * while one string would stay in memory.
 * @param onBytes called for every megabyte
 */
export async function saveFile(
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
