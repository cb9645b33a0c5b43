import type { InputError } from '#lib/contracts/input/problem';
import type { Json } from '#lib/contracts/json/json';

export interface JsonEditorProps {
  /** Names the editor to screen readers. */
  label: string;
  value: Json | undefined;
  /** What was typed and is not JSON yet; it is shown instead of the value. */
  unread?: string;
  /** What is wrong with the value, with paths within it. */
  errors?: readonly InputError[];
  isReadOnly?: boolean;
  /** Whether an empty text means no value. */
  isOptional?: boolean;
  /** Its least height in lines. */
  rows?: number;
  describedBy?: string;
  onValue: (value: Json | undefined) => void;
  onUnread: (text: string) => void;
}
