import { realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { ApiError } from '#lib/client/api-client';

/**
 * Writes pieces as they come into a file that has its name only once it is whole: until then an earlier file of that
 * name stays as it is. A pipe or a device is written to itself.
 */
export async function writeWhole(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const earlier = statSync(path, { throwIfNoEntry: false });
  if (earlier && !earlier.isFile()) return write(path, pieces);
  const name = earlier ? realpathSync(path) : path;
  const part = `${name}.${process.pid}.part`;
  try {
    await write(part, pieces, earlier?.mode);
    renameSync(part, name);
  } catch (error) {
    rmSync(part, { force: true });
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

/** The pieces of a download, and what it means when no more come. @throws Error that says `what`, with the cause */
export async function* orBrokenOff(pieces: AsyncIterable<string>, what: string): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (error) {
    throw error instanceof ApiError ? error : new Error(what, { cause: error });
  }
}
