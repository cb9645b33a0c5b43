import { Link, type LinkProps } from '@tanstack/react-router';

interface Place {
  to: LinkProps['to'];
  name: string;
}

/** Navigation between related screens. */
export function SubNav({ label, places }: { label: string; places: readonly Place[] }) {
  return (
    <nav className="sub-nav" aria-label={label}>
      {places.map(({ to, name }) => (
        <Link key={name} to={to} activeOptions={{ includeSearch: false }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
