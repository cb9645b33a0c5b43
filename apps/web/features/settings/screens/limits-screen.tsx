import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Quota } from '#lib/contracts/quotas';
import { quotaFigure } from '#lib/contracts/values/quotas';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { FilterBar } from '../../../ui/filters';
import { FormDialog } from '../../../ui/form/form-dialog';
import { NumberField } from '../../../ui/form/fields';
import { SettingForm } from '../../../ui/form/setting-form';
import { Note } from '../../../ui/hint';
import { useKeptQuery } from '../../../ui/list';
import { Section } from '../../../ui/query-boundary';
import { Bar, DOWN, Mark } from '../../../ui/status';
import { Table, type Column } from '../../../ui/table';
import { jobsSettingQuery, quotasQuery, setJobs, setQuota } from '../limits';
import { useOperatorRefusal } from '../operator';
import { isBytes, nearestFirst, nearness, quotaMeans, quotaWords, type Nearness } from '../parts/quota-words';
import { TeamChoice } from '../parts/team-choice';
import css from './settings.module.css';
import { SettingsPage } from './settings-page';

export { loadLimits } from '../limits';

/** In the address: what each team may have, unless a limit of its own is set. */
const ALL = 'all';
const ALL_TEAMS = { value: ALL, name: 'All teams' };
const ROWS = 11;

/** How much a team may have, and how much it has. */
export function LimitsScreen() {
  const { team } = useSearch({ from: '/signed-in/settings/limits' });
  const navigate = useNavigate();
  const refusal = useOperatorRefusal('change these limits');
  const isOwn = team === undefined;
  return (
    <SettingsPage
      title="Limits"
      about="Beyond a limit nothing new is taken. Nothing is deleted when a limit falls below what is used."
    >
      {refusal === undefined ? (
        <FilterBar label="Whose limits">
          <TeamChoice
            team={team}
            others={[ALL_TEAMS]}
            choose={(chosen) => void navigate({ to: '/settings/limits', search: { team: chosen } })}
          />
        </FilterBar>
      ) : (
        <p>{refusal}</p>
      )}
      <Section
        id="quotas"
        title={isOwn ? 'What your team may have' : team === ALL ? 'What each team may have' : 'What this team may have'}
        rows={ROWS}
      >
        <Quotas team={team} canChange={refusal === undefined} />
      </Section>
      {isOwn && (
        <Section id="jobs" title="What each user may have" rows={4} action={<Link to="/jobs">Waiting jobs</Link>}>
          <JobsOfUser />
        </Section>
      )}
    </SettingsPage>
  );
}

function Quotas({ team, canChange }: { team: string | undefined; canChange: boolean }) {
  const { quotas } = useKeptQuery(quotasQuery(team)).data;
  const [changed, setChanged] = useState<Quota>();
  const columns = canChange ? [...columnsOf(team), changeColumn(setChanged)] : columnsOf(team);
  return (
    <>
      <Table
        label="List of limits"
        className={`run-rows ${css.rows} ${css.quotas}`}
        hasCards
        rows={nearestFirst(quotas)}
        keyOf={({ name }) => name}
        columns={columns}
      />
      {changed && <ChangeDialog team={team} quota={changed} close={() => setChanged(undefined)} />}
    </>
  );
}

const columnsOf = (team: string | undefined): Column<Quota>[] => [
  {
    name: 'Limit',
    isHeading: true,
    className: 'named',
    cell: ({ name }) => <Note of={quotaWords(name)}>{quotaMeans(name)}</Note>,
  },
  { name: team === ALL ? 'At most' : 'Used', className: css.used, cell: (quota) => <Used {...quota} /> },
  {
    name: 'Default',
    cell: ({ name, limit, is_set: isSet, default: usual }) => (
      <>
        {quotaFigure(name, usual)}
        {limit !== usual && (
          <span className="small muted given-line">
            {isSet && team !== ALL ? 'set for this team' : 'set for all teams'}
          </span>
        )}
      </>
    ),
  },
];

const MARKS: Record<Exclude<Nearness, 'far'>, { shape: string; look: string }> = {
  reached: DOWN,
  near: { shape: '◐', look: 'partial' },
};
const BARS: Record<Nearness, string | undefined> = { reached: css.reached, near: css.near, far: undefined };

function Used(quota: Quota) {
  const { name, limit, used } = quota;
  const state = nearness(quota);
  if (used === null) return quotaFigure(name, limit);
  return (
    <span className={BARS[state]}>
      {quotaFigure(name, used)} of {quotaFigure(name, limit)}{' '}
      {state !== 'far' && <Mark {...MARKS[state]}>{state}</Mark>}
      <Bar done={used} total={limit} label={`${quotaWords(name)}: used`} />
    </span>
  );
}

const changeColumn = (change: (quota: Quota) => void): Column<Quota> => ({
  name: 'Actions',
  isNameHidden: true,
  cell: (quota) => (
    <button
      type="button"
      className="dense"
      aria-label={`Change the limit: ${quotaWords(quota.name)}`}
      onClick={() => change(quota)}
    >
      Change
    </button>
  ),
});

const GIB = 1024 ** 3;

function ChangeDialog({ team, quota, close }: { team: string | undefined; quota: Quota; close: () => void }) {
  const { name, limit, is_set: isSet, default: usual } = quota;
  const unit = isBytes(name) ? GIB : 1;
  return (
    <FormDialog<{ limit?: number }>
      title={`Limit: ${quotaWords(name)}`}
      action="Save limit"
      initial={{ limit: isSet ? limit / unit : null }}
      needs="owner"
      send={({ limit: typed }, options) =>
        setQuota({ team, name, limit: typed == null ? null : Math.round(Number(typed) * unit) }, options)
      }
      onDone={() => {
        close();
        return queryClient.invalidateQueries({ queryKey: keys.settings });
      }}
      close={close}
    >
      {quota.used !== null && <p>{quotaFigure(name, quota.used)} are used.</p>}
      <NumberField
        path="limit"
        label={isBytes(name) ? 'At most, in GiB' : 'At most'}
        help={team === ALL ? `Empty: the default, ${quotaFigure(name, usual)}.` : 'Empty: as for all teams.'}
      />
    </FormDialog>
  );
}

/** How many jobs of each user run concurrently. */
function JobsOfUser() {
  const { data: setting } = useSuspenseQuery(jobsSettingQuery);
  return (
    <SettingForm name="jobs" stored={setting} put={setJobs} refreshes={keys.settings} save="Save limit">
      <NumberField
        path="running_jobs_per_user"
        label="Running jobs per user"
        help="From 1 to 100. Further jobs wait."
      />
    </SettingForm>
  );
}
