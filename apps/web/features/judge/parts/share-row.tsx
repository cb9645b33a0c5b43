import type { CalibrationHead } from '#lib/judge/contract';
import type { IntervalRow } from '../../../ui/figures/intervals';
import { Uncalibrated } from './calibration';
import { UserLine } from '../../../ui/user-text';
import { shareText } from './judged-figures';

interface Props {
  /** The name of the row. */
  key: string;
  share: number;
  ci: [number, number] | null;
  n: number;
  /** The calibration of the judge. */
  status: CalibrationHead['status'];
  isHollow?: boolean;
}

/** A share by a judge as a row of a figure: with its interval, and whether the judge is calibrated. */
export const shareRow = ({ key, share, ci, n, status, isHollow = ci === null }: Props): IntervalRow => ({
  key,
  label: <UserLine text={key} />,
  mean: share,
  interval: ci ?? [share, share],
  isHollow,
  text: (
    <span className="score">
      <span>{shareText(share, ci, n)}</span>
      <Uncalibrated status={status} />
    </span>
  ),
});
