import { lazy, Suspense } from 'react';
import { Skeleton } from '../query-boundary';
import type { JsonEditorProps } from './json-editor-props';

const CodeMirror = lazy(() => import('./code-mirror'));

/**
 * A JSON editor that preserves number text and validates while typing. Its code is loaded when the first one is shown.
 */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton rows={props.rows ?? 4} label={`Loading ${props.label}`} />}>
      <CodeMirror {...props} />
    </Suspense>
  );
}
