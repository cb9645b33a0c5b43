import type { Result } from '#lib/contracts/result';

/** A run in one format: its head, then each of its results, then its foot, which is told how many they were. */
export interface ResultWriter {
  head: string;
  write(result: Result, isFirst: boolean): string;
  foot(count: number): string;
}

/** What is asked of a file beside its format. */
export interface WrittenHow {
  /** A CSV begins with a byte order mark. */
  hasMark: boolean;
  /** A format that may end anywhere says where it ends. */
  hasEnd: boolean;
  /** No filter leaves results out. */
  isWhole: boolean;
}

export const BYTE_ORDER_MARK = '\ufeff';
