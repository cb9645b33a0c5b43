import { Link } from '@tanstack/react-router';

interface Props {
  /** What the pages list: "gates". */
  of: string;
  /** The cursor in the address, undefined on the first page. */
  after: string | undefined;
  /** The cursor of the next page; null on the last. */
  next: string | null;
}

/** Links to the newest and to the next page of a list, whose address keeps its other filters. */
export function PageLinks({ of, after, next }: Props) {
  if (after === undefined && next === null) return null;
  return (
    <nav className="actions" aria-label={`Pages of ${of}`}>
      {after !== undefined && <PageLink after={undefined} words="Newest" />}
      {next !== null && <PageLink after={next} words="Older" />}
    </nav>
  );
}

const PageLink = ({ after, words }: { after: string | undefined; words: string }) => (
  <Link to="." search={(address) => ({ ...address, after })} className="button">
    {words}
  </Link>
);
