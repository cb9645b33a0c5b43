import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { keys } from '../../api/keys';
import { jobsSettingQuery, setJobs } from '../../api/settings';
import { Failed } from '../../parts/failed';
import { NumberField } from '../../parts/form/fields';
import { SettingForm } from '../../parts/form/setting-form';
import { Skeleton } from '../../parts/skeleton';
import { SettingsNav } from './settings-nav';

/** How many jobs of each user run concurrently. */
export function JobSettingsScreen() {
  const { data, error, isPending, refetch } = useQuery(jobsSettingQuery);
  return (
    <>
      <h1>Jobs</h1>
      <SettingsNav />
      <p>
        Of each user, so many jobs run at once; further ones wait, first come, first served.{' '}
        <Link to="/jobs">What waits now</Link>
      </p>
      {isPending && <Skeleton rows={3} />}
      {error && <Failed error={error} retry={refetch} />}
      {data && <JobsForm running={data.running_jobs_per_user} />}
    </>
  );
}

function JobsForm({ running }: { running: number }) {
  const stored = useMemo(() => ({ running_jobs_per_user: running }), [running]);
  return (
    <SettingForm name="jobs" stored={stored} put={setJobs} refreshes={keys.settings} save="Save the number">
      <NumberField
        path={['running_jobs_per_user']}
        label="Running jobs of a user"
        help="From 1 to 100. With a higher number, waiting jobs start at once; with a lower one, running jobs go on."
      />
    </SettingForm>
  );
}
