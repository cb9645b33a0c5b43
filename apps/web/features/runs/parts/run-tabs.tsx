import { Tabs } from '../../../ui/tabs';

/** The screens of a run. */
export function RunTabs({ runId }: { runId: string }) {
  const params = { runId };
  return (
    <Tabs
      label="Screens of the run"
      items={[
        { to: '/runs/$runId', params, label: 'Overview' },
        { to: '/runs/$runId/failures', params, label: 'Failures' },
        { to: '/runs/$runId/matrix', params, label: 'Cases' },
        { to: '/runs/$runId/results', params, label: 'Results' },
        { to: '/runs/$runId/settings', params, label: 'Settings' },
      ]}
    />
  );
}
