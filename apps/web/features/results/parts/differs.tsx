import { differenceWords } from '#lib/contracts/difference-words';
import { UserLine } from '../../../ui/user-text';
import { errorWord } from '../filter-words';
import type { Result } from '../api';

const MAX_NAMES = 5;

const listed = (names: readonly string[]): string =>
  names.length > MAX_NAMES
    ? `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`
    : names.join(', ') || 'no call';

/** Where a reply differs from what is expected, or its error; what a right one called; or why there is no reply. */
export function Differs({ result: { difference, error_type: type, called, error } }: { result: Result }) {
  if (difference) return <UserLine text={differenceWords(difference)} />;
  if (error) return <UserLine text={`${error.kind.replaceAll('_', ' ')}: ${error.message}`} />;
  if (type !== 'none') return errorWord(type);
  return (
    <span className="muted">
      <UserLine text={listed(called.map(({ name }) => name))} />
    </span>
  );
}
