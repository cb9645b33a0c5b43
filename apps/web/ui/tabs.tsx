import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface TabItem extends Pick<LinkProps, 'to' | 'params' | 'search'> {
  label: ReactNode;
  /** Whether its query string tells it from the others. */
  bySearch?: boolean;
}

/** Links to related screens; the current one looks it. */
export const Tabs = ({ label, items }: { label: string; items: readonly TabItem[] }) => (
  <nav className="tabs" aria-label={label}>
    {items.map(({ label: words, bySearch, ...link }, place) => (
      <Link key={place} {...link} activeOptions={{ exact: true, includeSearch: bySearch ?? false }}>
        {words}
      </Link>
    ))}
  </nav>
);
