import { Link } from '@tanstack/react-router';

interface Props {
  /** What the pages list: "gates". */
  of: string;
  /** The cursor in the address, undefined on the first page. */
  after: unknown;
  /** The cursor of the next page; null on the last. */
  next: string | number | null;
  /** The labels of the links. */
  words?: readonly [first: string, next: string];
  hash?: string;
}

/** Links to the first and to the next page of a list. The other filters in the address stay. */
export function PageLinks({ of, after, next, words = ['Newest', 'Older'], hash }: Props) {
  const link = (cursor: string | number | undefined, label: string) => (
    <Link
      to="."
      search={(address) => ({ ...address, after: cursor as string | undefined })}
      hash={hash}
      className="button"
    >
      {label}
    </Link>
  );
  if (after === undefined && next === null) return null;
  return (
    <nav className="actions" aria-label={`Pages of ${of}`}>
      {after !== undefined && link(undefined, words[0])}
      {next !== null && link(next, words[1])}
    </nav>
  );
}
