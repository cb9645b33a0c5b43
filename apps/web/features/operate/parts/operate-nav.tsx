import { Tabs } from '../../../ui/tabs';

const TABS = [
  { to: '/operate/lanes', label: 'Lanes' },
  { to: '/operate/providers', label: 'Providers' },
  { to: '/operate/spending', label: 'Spending' },
] as const;

/** The way to the screens of this part. */
export const OPERATE = [{ to: '/operate', label: 'Operate' }] as const;

export const OperateNav = () => <Tabs label="Operate" items={TABS} />;
