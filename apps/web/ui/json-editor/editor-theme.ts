import { EditorView } from '@codemirror/view';

/** The colours of the page, which follow its theme. */
export const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', maxHeight: '60vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { font: '13px/20px var(--mono)', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', overflowWrap: 'anywhere' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--edge)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--failed)',
    backgroundColor: 'var(--failed-tint)',
  },
});
