import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { JsonObject } from '#lib/contracts/json/json';
import type { JudgeSetting } from '#lib/judge/contract';
import { MAX_INSTRUCTIONS_CHARS } from '#lib/contracts/values/judging';
import { judgeSettingQuery, setJudge } from '../../judge/api';
import { keys } from '../../../api/keys';
import { ErrorNotice } from '../../../ui/error-notice';
import { LongTextField, NumberField } from '../../../ui/form/fields';
import { SettingForm } from '../../../ui/form/setting-form';
import { ChooseModel } from '../../providers/parts/choose-model';
import { Skeleton } from '../../../ui/skeleton';
import { SettingsNav } from './settings-nav';

/** The default judge, and which runs are judged automatically. */
export function JudgeSettingsScreen() {
  const { data, error, isPending, refetch } = useQuery(judgeSettingQuery);
  return (
    <>
      <h1>Judge</h1>
      <SettingsNav />
      <p>
        The judge of reports that name no other model. It changes no score.{' '}
        <Link to="/judge">Reports, labels and calibration</Link>
      </p>
      {isPending && <Skeleton rows={6} />}
      {error && <ErrorNotice error={error} retry={refetch} />}
      {data && <JudgeForm setting={data} />}
    </>
  );
}

function JudgeForm({ setting }: { setting: JudgeSetting }) {
  const stored = useMemo(() => setting as unknown as JsonObject, [setting]);
  return (
    <SettingForm
      name="judge setting"
      stored={stored}
      put={setJudge}
      // An empty field means never, which the API also has as its default.
      bodyOf={(value) => ({ auto_below: 0, ...value })}
      refreshes={keys.judge}
      save="Save the settings"
    >
      <ChooseModel path={['judge']} label="Model" help="It must support tool calls." whenEmpty={null} none="none" />
      <LongTextField
        path={['instructions']}
        label="Instructions"
        help="Added to the rules that every judge gets. A change starts a new calibration."
        maxLength={MAX_INSTRUCTIONS_CHARS}
        whenEmpty=""
      />
      <NumberField
        path={['auto_below']}
        label="Judge runs automatically below"
        help="A score from 0 to 1. 0: never; 1: every run that has something wrong."
      />
    </SettingForm>
  );
}
