import { SubNav } from '../../../ui/navigation';

const PLACES = [
  { to: '/operate/lanes', name: 'Lanes' },
  { to: '/operate/providers', name: 'Providers' },
  { to: '/operate/spending', name: 'Spending' },
] as const;

export const OperateNav = () => <SubNav label="Operate" places={PLACES} />;
