import { UserLine } from '../../../ui/user-text';

/** The name of a suite, or that it was deleted. */
export const SuiteName = ({ name }: { name: string | null }) =>
  name === null ? <span className="muted">deleted</span> : <UserLine text={name} />;
