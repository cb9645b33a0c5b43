import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { JudgeSetting } from '#lib/judge/contract';
import { useAction } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { AllowedButton } from '../../../ui/buttons';
import { Empty } from '../../../ui/empty';
import { ErrorNotice } from '../../../ui/notices';
import { Link } from '@tanstack/react-router';
import { ModelName } from '../../providers/parts/model-name';
import css from './judge.module.css';
import { judgeSettingQuery, reportsQuery, setJudge } from '../api';

interface Props {
  /** The judge or the report that the address names. */
  judge: string | undefined;
  choose: (judge: string) => void;
  /** What belongs to the judge: that of the address, or the default one of the team. */
  children: ReactNode;
}

/** Lets the user choose a judge where the address names none and the team has no default. */
export function WithJudge({ judge, choose, children }: Props) {
  const { data: setting } = useSuspenseQuery(judgeSettingQuery);
  if (judge !== undefined || setting.judge !== null) return children;
  return <ChooseJudge setting={setting} choose={choose} />;
}

function ChooseJudge({ setting, choose }: { setting: JudgeSetting; choose: Props['choose'] }) {
  const { data } = useSuspenseQuery(reportsQuery({}));
  const judges = [...new Set(data.items.map(({ judge }) => judge))];
  const refusal = useRefusal('owner');
  const save = useAction(setJudge, () => queryClient.invalidateQueries({ queryKey: keys.judgeSetting }));
  if (judges.length === 0)
    return (
      <Empty
        action={
          <Link to="/judge/new" className="button primary">
            New report
          </Link>
        }
      >
        No judge has judged anything yet.
      </Empty>
    );
  return (
    <section aria-labelledby="choose-judge" className="section">
      <h2 id="choose-judge">Which judge?</h2>
      <ul className={css.judges}>
        {judges.map((judge) => (
          <li key={judge} className="actions">
            <button type="button" onClick={() => choose(judge)}>
              <ModelName target={judge} />
            </button>
            <AllowedButton
              className="plain"
              refusal={refusal}
              disabled={save.isPending}
              onClick={() => save.mutate(JSON.stringify({ ...setting, judge }))}
            >
              Make default
            </AllowedButton>
          </li>
        ))}
      </ul>
      {save.isError && <ErrorNotice error={save.error} />}
    </section>
  );
}
