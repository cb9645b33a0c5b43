import { constants } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { dirname, sep } from 'node:path';

/** Why a file is not read: the rest of a sentence that begins with it, without anything that it holds. */
export class FileFault extends Error {}

/** A pipe without a writer, and a device, answer at once; neither becomes the terminal of this process. */
const CAREFULLY = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a small file of the operator. It may be a link within its own folder, as files of a mounted Secret are, but not
 * one that leads out of it: whoever may only write to that folder could have another file read, and sent as a key.
 * @throws FileFault
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<Buffer> {
  try {
    // Before it is opened: opening a device may do something.
    if (!(await stat(path)).isFile()) throw new FileFault('is not a file');
    const file = await open(path, CAREFULLY);
    try {
      if (!(await file.stat()).isFile()) throw new FileFault('is not a file');
      await refuseOtherFolder(file, path);
      return await readUpTo(file, maxBytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw error instanceof FileFault ? error : new FileFault(faultOf(error as NodeJS.ErrnoException));
  }
}

async function refuseOtherFolder(file: FileHandle, path: string): Promise<void> {
  const folder = await realpath(dirname(path));
  // What was opened, however links have changed meanwhile; where there is no /proc, what the path leads to.
  const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));
  if (!opened.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    throw new FileFault('is a link out of its folder: list the path that it leads to instead');
}

async function readUpTo(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const bytes = Buffer.alloc(maxBytes + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length);
    if (bytesRead === 0) return bytes.subarray(0, length);
    length += bytesRead;
  }
  throw new FileFault(`has more than ${maxBytes} bytes`);
}

const FAULTS: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this process',
  EPERM: 'may not be read by this process',
  ELOOP: 'is a circle of links',
};

const faultOf = ({ code = 'unknown error' }: NodeJS.ErrnoException): string =>
  FAULTS[code] ?? `cannot be read (${code})`;
