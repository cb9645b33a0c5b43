import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { keys } from '../../../api/keys';
import { jobsSettingQuery, setJobs } from '../api';
import { ErrorNotice } from '../../../ui/error-notice';
import { NumberField } from '../../../ui/form/fields';
import { SettingForm } from '../../../ui/form/setting-form';
import { Skeleton } from '../../../ui/skeleton';
import { SettingsNav } from './settings-nav';

/** How many jobs of each user run concurrently. */
export function JobSettingsScreen() {
  const { data, error, isPending, refetch } = useQuery(jobsSettingQuery);
  return (
    <>
      <h1>Jobs</h1>
      <SettingsNav />
      <p>
        The limit of running jobs per user. Further jobs wait, first come, first served.{' '}
        <Link to="/jobs">Waiting jobs</Link>
      </p>
      {isPending && <Skeleton rows={3} />}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data && <JobsForm running={data.running_jobs_per_user} />}
    </>
  );
}

function JobsForm({ running }: { running: number }) {
  const stored = useMemo(() => ({ running_jobs_per_user: running }), [running]);
  return (
    <SettingForm name="jobs" stored={stored} put={setJobs} refreshes={keys.settings} save="Save limit">
      <NumberField
        path={['running_jobs_per_user']}
        label="Running jobs per user"
        help="From 1 to 100. Raising it starts waiting jobs at once; lowering it stops no job."
      />
    </SettingForm>
  );
}
