import type { Result } from '#lib/contracts/result';

/** A run in one format: its head, then each of its results, then its foot. */
export interface ResultWriter {
  head: string;
  write(result: Result, isFirst: boolean): string;
  foot: string;
}
