import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Json } from '#lib/contracts/json/json';
import type { ParamTune } from '#lib/param-tune/contract';
import { useAction, type Sent } from '../../../api/action';
import { keys } from '../../../api/keys';
import { queryClient, refreshWork } from '../../../api/query-client';
import { useRefusal } from '../../../api/session';
import { CopiedId } from '../../../ui/buttons';
import { ConfirmDialog } from '../../../ui/dialog';
import { count } from '../../../ui/amounts';
import { FormDialog } from '../../../ui/form/form-dialog';
import { Fields, type FormSchema } from '../../../ui/form/schema';
import { Head } from '../../../ui/head';
import { Hint } from '../../../ui/hint';
import { MenuItem } from '../../../ui/menu';
import { isUnderWay, Status } from '../../../ui/status';
import { duration, Time } from '../../../ui/time';
import { UserText } from '../../../ui/user-text';
import { Notes } from '../../../ui/notices';
import { settingInWords } from '../../runs/parts/setting-words';
import { StopReason } from '../../jobs/parts/job-progress';
import { WorkActions } from '../../jobs/parts/work-actions';
import { tuneName } from './tune-name';

type Shown =
  'id' | 'job_id' | 'name' | 'status' | 'suite_id' | 'suite_name' | 'suite_version' | 'created_at' | 'finished_at';
type Tune = Pick<ParamTune, Shown | 'notes' | 'note_details'> & {
  cases: { tuning: number; holdout: number };
  input: object;
};

interface Label {
  id: string;
  name: string | null;
}

interface Deletion {
  tune: Tune;
  /** Parameter tunes by default. */
  kind?: 'prompts';
  tunes: {
    remove: (id: string, options: Sent) => Promise<void>;
    label: (name: Label, options: Sent) => Promise<unknown>;
  };
  /** What is deleted with it, and what remains. */
  deletes: ReactNode;
}

interface Props extends Deletion {
  /** Further facts. */
  facts: ReactNode;
  settings: ReactNode;
  children?: ReactNode;
}

/** A tune's state, its suite and settings, why its answer is missing or incomplete, and the actions on it. */
export function TuneHead({ facts, settings, children, ...deletion }: Props) {
  const { tune, kind } = deletion;
  const refusal = useRefusal('editor');
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const close = (): void => setDialog(undefined);
  return (
    <section className="section" aria-label="The tune">
      <Head
        title={tuneName(tune)}
        trail={trailOf(kind)}
        badge={<Status status={tune.status} />}
        status={<TuneFacts tune={tune}>{facts}</TuneFacts>}
        actions={
          <WorkActions
            work={tune}
            again={
              <Link
                to={kind === 'prompts' ? '/tunes/new-prompt' : '/tunes/new'}
                search={{ from: tune.id }}
                className="button"
              >
                Tune again
              </Link>
            }
          />
        }
        menu={
          <>
            <MenuItem refusal={refusal} onSelect={() => setDialog('rename')}>
              Rename
            </MenuItem>
            {!isUnderWay(tune.status) && (
              <MenuItem danger refusal={refusal} onSelect={() => setDialog('delete')}>
                Delete the tune
              </MenuItem>
            )}
          </>
        }
      />
      {dialog === 'rename' && <RenameTune {...deletion} close={close} />}
      {dialog === 'delete' && <DeleteTune {...deletion} close={close} />}
      <StopReason work={tune} />
      {settings}
      <Notes of={tune} />
      {children}
    </section>
  );
}

const TuneFacts = ({ tune, children }: { tune: Tune; children: ReactNode }) => (
  <>
    <span>
      <Suite tune={tune} /> v{tune.suite_version}
    </span>
    <Time at={tune.created_at} />
    {tune.finished_at !== null && (
      <span>took {duration(new Date(tune.finished_at).getTime() - new Date(tune.created_at).getTime())}</span>
    )}
    <span>
      {count(tune.cases.tuning)} {tune.cases.tuning === 1 ? 'case' : 'cases'}, {count(tune.cases.holdout)}{' '}
      <Hint term="held out">held out</Hint>
    </span>
    {children}
    <CopiedId id={tune.id} what="tune" />
  </>
);

const trailOf = (kind: 'prompts' | undefined) =>
  [{ to: '/tunes', search: { kind }, label: kind === 'prompts' ? 'Prompt tunes' : 'Tunes' }] as const;

function Suite({ tune: { suite_id: suiteId, suite_name: name } }: { tune: Tune }) {
  if (suiteId === null) return <UserText text={name} max={200} />;
  return (
    <Link to="/suites/$suiteId" params={{ suiteId }}>
      <UserText text={name} max={200} />
    </Link>
  );
}

const RenameTune = ({ tune: { id, name }, tunes, close }: Deletion & { close: () => void }) => (
  <FormDialog<{ name?: string | null }>
    title="Name of the tune"
    action="Save"
    initial={{ name }}
    send={(typed, options) => tunes.label({ id, name: typed.name?.trim() || null }, options)}
    onDone={() => {
      close();
      return refreshWork(id);
    }}
    close={close}
  >
    <Fields of={NAME} />
  </FormDialog>
);
const NAME: FormSchema<{ name: string }> = [
  { text: 'name', label: 'Name', help: 'Empty: what it varies.', maxLength: 200, autoFocus: true },
];

function DeleteTune({ tune, kind, tunes, deletes, close }: Deletion & { close: () => void }) {
  const navigate = useNavigate();
  const { isPending, error, mutate } = useAction(tunes.remove, async () => {
    close();
    await navigate({ to: '/tunes', search: { kind } });
    queryClient.removeQueries({ queryKey: keys.tune(tune.id) });
    await queryClient.invalidateQueries({ queryKey: keys.tuneLists });
  });
  return (
    <ConfirmDialog
      title="Delete this tune?"
      action="Delete the tune"
      act={() => mutate(tune.id)}
      {...{ isPending, error, close }}
    >
      <p>
        <UserText text={`${tune.suite_name}, version ${tune.suite_version}`} max={200} />
      </p>
      <p>{deletes} This cannot be undone.</p>
    </ConfirmDialog>
  );
}

/** The name of each setting, and the mode that it is of if not of all. */
export type SettingNames = Readonly<Record<string, string | readonly [name: string, mode: string]>>;

/** The settings that a tune was given, by name. */
export function settingsOf(input: { mode: string }, names: SettingNames): [name: string, text: string][] {
  const given = input as Record<string, Json>;
  return Object.entries(names).flatMap(([key, said]) => {
    const [name, mode = input.mode] = typeof said === 'string' ? [said] : said;
    const value = given[key];
    if (mode !== input.mode || isEmpty(value)) return [];
    return [[name, settingInWords(key, value)]];
  });
}

const isEmpty = (value: Json | undefined): value is undefined =>
  value == null || (typeof value === 'object' && Object.keys(value).length === 0);
