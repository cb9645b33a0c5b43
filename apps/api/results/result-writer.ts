import type { Result } from '#lib/contracts/result';

/** Writes a run in one format: its head, then each of its results, then its foot, which gets their number. */
export interface ResultWriter {
  head: string;
  write(result: Result, isFirst: boolean): string;
  foot(count: number): string;
}

/** Options of a file in addition to its format. */
export interface WriterOptions {
  /** A CSV begins with a byte order mark. */
  hasMark: boolean;
  /** Write an end mark, in formats that could otherwise be truncated unnoticed. */
  hasEnd: boolean;
  /** No filter leaves results out. */
  isWhole: boolean;
}

export const BYTE_ORDER_MARK = '\ufeff';
