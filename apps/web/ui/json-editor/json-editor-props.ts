import type { InputError } from '#lib/contracts/input/problem';
import type { Json } from '#lib/contracts/json/json';

export interface JsonEditorProps {
  /** The editor's label for screen readers. */
  label: string;
  value: Json | undefined;
  /** Input that is not valid JSON yet; shown instead of the value. */
  unread?: string;
  /** Validation errors of the value, with paths within it. */
  errors?: readonly InputError[];
  isReadOnly?: boolean;
  /** Whether an empty text means no value. */
  isOptional?: boolean;
  /** Its minimum height in lines. */
  rows?: number;
  describedBy?: string;
  onValue: (value: Json | undefined) => void;
  onUnread: (text: string) => void;
}
