import type { ReactNode } from 'react';
import { guideAddress } from '../../../ui/guide';
import css from './entrance.module.css';

/** A screen outside the signed-in page: what Toolmark is, and one thing to do. */
export const Entrance = ({ title, children }: { title: string; children: ReactNode }) => (
  <main id="content" className={css.screen}>
    <title>{`${title} · Toolmark`}</title>
    <div className={css.about}>
      <p className={css.name}>Toolmark</p>
      <p>Find out how well language models call tools: run suites, compare what changed, decide what may ship.</p>
    </div>
    <h1>{title}</h1>
    {children}
    <p className="small">
      <a href={guideAddress('README')} target="_blank" rel="noreferrer">
        Guide
      </a>
    </p>
  </main>
);
