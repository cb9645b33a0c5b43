import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Head } from '../../../ui/head';
import css from './settings.module.css';

const TRAIL = [{ to: '/settings', label: 'Settings' }] as const;

/** The sections of the settings, by what they are about. */
const GROUPS: readonly (readonly [name: string, sections: readonly { to: LinkProps['to']; label: string }[]])[] = [
  [
    'Access',
    [
      { to: '/settings/account', label: 'Your account' },
      { to: '/settings/people', label: 'People' },
      { to: '/settings/tokens', label: 'Tokens' },
      { to: '/settings/sessions', label: 'Sessions' },
      { to: '/settings/teams', label: 'Teams' },
      { to: '/settings/audit', label: 'Audit' },
    ],
  ],
  [
    'Models',
    [
      { to: '/settings/judge', label: 'Judge' },
      { to: '/settings/embedding', label: 'Embedding' },
    ],
  ],
  [
    'Runs',
    [
      { to: '/settings/limits', label: 'Limits' },
      { to: '/settings/cache', label: 'Stored replies' },
    ],
  ],
];

interface Props {
  title: string;
  /** What the section is about, in a sentence. */
  about?: ReactNode;
  children: ReactNode;
}

/** A section of the settings, next to the list of all. */
export const SettingsPage = ({ title, about, children }: Props) => (
  <>
    <Head title={title} trail={TRAIL} />
    <div className={css.page}>
      <nav className={css.sections} aria-label="Settings">
        {GROUPS.map(([name, sections]) => (
          <div key={name}>
            <span className="small muted">{name}</span>
            {sections.map(({ to, label }) => (
              <Link key={label} to={to}>
                {label}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <div className={css.section}>
        {about !== undefined && <p className="muted">{about}</p>}
        {children}
      </div>
    </div>
  </>
);
