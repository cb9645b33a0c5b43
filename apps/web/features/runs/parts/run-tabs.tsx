import { Tabs } from '../../../ui/tabs';

/** The screens of a run; those of its results by the verdicts of a rescore, if one is named. */
export function RunTabs({ runId, rescore }: { runId: string; rescore?: string | undefined }) {
  const params = { runId };
  const search = rescore === undefined ? {} : { rescore };
  return (
    <Tabs
      label="Screens of the run"
      items={[
        { to: '/runs/$runId', params, label: 'Overview' },
        { to: '/runs/$runId/failures', params, search, label: 'Failures' },
        { to: '/runs/$runId/matrix', params, search, label: 'Cases' },
        { to: '/runs/$runId/results', params, search, label: 'Results' },
        { to: '/runs/$runId/settings', params, label: 'Settings' },
      ]}
    />
  );
}
