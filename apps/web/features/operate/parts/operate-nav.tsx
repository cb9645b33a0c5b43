import { Tabs } from '../../../ui/tabs';

const TABS = [
  { to: '/operate/lanes', label: 'Lanes' },
  { to: '/operate/providers', label: 'Providers' },
  { to: '/operate/spending', label: 'Spending' },
] as const;

export const OperateNav = () => <Tabs label="Operate" items={TABS} />;
