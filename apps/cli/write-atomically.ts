import { realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { ApiError } from '#lib/client/api-client';

/**
 * Writes chunks as they arrive to a file that gets its name only once it is complete: until then an earlier file with
 * that name stays unchanged. A pipe or a device is written to directly.
 */
export async function writeAtomically(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const earlier = statSync(path, { throwIfNoEntry: false });
  if (earlier && !earlier.isFile()) return write(path, pieces);
  const name = earlier ? realpathSync(path) : path;
  const partialFile = `${name}.${process.pid}.part`;
  try {
    await write(partialFile, pieces, earlier?.mode);
    renameSync(partialFile, name);
  } catch (error) {
    rmSync(partialFile, { force: true });
    throw error;
  }
}

async function write(path: string, pieces: AsyncIterable<string>, mode?: number): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    for await (const piece of pieces) await file.appendFile(piece);
  } finally {
    await file.close();
  }
}

/** The chunks of a download, with an error if it breaks off. @throws Error that says `what`, with the cause */
export async function* withInterruptionError(pieces: AsyncIterable<string>, what: string): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (error) {
    throw error instanceof ApiError ? error : new Error(what, { cause: error });
  }
}
