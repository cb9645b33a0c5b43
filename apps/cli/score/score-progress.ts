const EVERY_BYTES = 1 << 20;
const WIDTH = 30;

/** A progress bar on one line of a terminal: the share of the file, or megabytes if its size is unknown. */
export function scoreProgress(
  terminal: { write(text: string): unknown },
  totalBytes?: number,
): { at(bytes: number): void; end(lines: number, failed: number): void } {
  const draw = (text: string): void => void terminal.write(`\r\u001b[2K${text}`);
  let next = 0;
  return {
    at(bytes) {
      if (bytes < next) return;
      next = bytes + EVERY_BYTES;
      const share = totalBytes ? Math.min(1, bytes / totalBytes) : 0;
      draw(
        totalBytes
          ? `[${'#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')}] ${Math.round(share * 100)} %`
          : `${Math.round(bytes / 1e6)} MB`,
      );
    },
    end: (lines, failed) => draw(`${lines} lines${failed ? `, ${failed} of them could not be scored` : ''}\n`),
  };
}
