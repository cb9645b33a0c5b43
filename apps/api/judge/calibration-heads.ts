import type { CalibrationHead } from '#lib/judge/contract';
import type { Pool } from '#lib/db/connection/pool';
import { CalibrationRepository } from '#lib/judge/rows/calibrations';
import { calibrate } from '#lib/judge/calibrate';

/** How well the labels of a team confirm these judges, by fingerprint, in a single statement. */
export async function calibrationHeads(
  db: Pool,
  teamId: string,
  fingerprints: readonly string[],
): Promise<Map<string, CalibrationHead>> {
  const drawn = await new CalibrationRepository(db, teamId).drawn([...new Set(fingerprints)]);
  return new Map(
    [...drawn].map(([fingerprint, rows]) => {
      const { status, labels, kappa, ci, text } = calibrate(rows);
      return [fingerprint, { status, labels, kappa, ci, text }];
    }),
  );
}
