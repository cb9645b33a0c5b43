import type { HomeSuite } from '#lib/contracts/home';
import { Sparkline } from '../../../ui/figures/sparkline';
import { useModelLabel } from '../../providers/parts/model-name';
import { linesOf } from './trend-lines';

/** How the scores of a suite's models went. */
export function SuiteTrend({ of: { points, best } }: { of: Pick<HomeSuite, 'points' | 'best'> }) {
  const labelOf = useModelLabel();
  return <Sparkline lines={linesOf(points, best?.targets[0], labelOf)} />;
}
