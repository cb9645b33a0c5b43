import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { decodeText } from '#lib/contracts/input/decode-text';

/** The path that means standard input. */
export const STDIN = '-';

/**
 * The text of a file.
 * @param encoding undefined for UTF-8
 * @param takesEncoding whether the command has --encoding
 */
export function readText(path: string, { encoding, takesEncoding = false }: Encoded = {}): string {
  const isStdin = path === STDIN;
  return decodeText(readBytes(isStdin ? 0 : path), {
    name: isStdin ? 'Standard input' : path,
    charset: encoding,
    declareAs: takesEncoding ? (charset) => `give --encoding ${charset}` : undefined,
  });
}
interface Encoded {
  encoding?: string | undefined;
  takesEncoding?: boolean;
}

function readBytes(path: string | number): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`);
  }
}

/** The text of a suite file, parsed before it is sent: a mistyped path is reported here rather than by the server. */
export function readSuiteFile(path: string, encoded?: Encoded): string {
  const text = readText(path, encoded);
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(
      `${path} is not a suite: ${(error as Error).message}. See examples/weather.json, or the ` +
        'output of toolmark suites export. Import another format with toolmark suites import.',
    );
  }
  return text;
}

export interface ImportOptions {
  format?: string;
  encoding?: string;
  answers?: string;
  name?: string;
}

/** File extensions that determine the format; others need --format. */
const FORMATS: Record<string, string> = { '.csv': 'csv', '.yaml': 'yaml', '.yml': 'yaml' };

/** The request of an import: a suite's own JSON unchanged, and a file of another format inside JSON. */
export function readImport(path: string, options: ImportOptions, isDryRun = false): { body: string; query: string } {
  const format = options.format ?? FORMATS[extname(path).toLowerCase()] ?? 'native';
  const query = new URLSearchParams({
    format,
    ...(isDryRun && { dry_run: 'true' }),
    ...(options.name !== undefined && { name: options.name }),
  });
  const encoded = { encoding: options.encoding, takesEncoding: true };
  const body =
    format === 'native'
      ? readSuiteFile(path, encoded)
      : JSON.stringify({
          text: readText(path, encoded),
          ...(options.answers !== undefined && { possible_answers: readText(options.answers, encoded) }),
        });
  return { body, query: `?${query}` };
}
