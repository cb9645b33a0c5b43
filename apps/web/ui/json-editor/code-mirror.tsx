import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { Compartment, EditorState, StateEffect } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef, useState } from 'react';
import { parseJson, type Json } from '#lib/contracts/json/json';
import { theme } from './editor-theme';
import css from './json-editor.module.css';
import type { JsonEditorProps } from './json-editor-props';
import { faultsOf } from './json-faults';

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
const checkAgain = StateEffect.define<null>();
const LINE_PX = 20;

const textOf = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** The value of a text; undefined for an empty one. @throws SyntaxError */
function valueOf(text: string, isOptional: boolean): Json | undefined {
  return isOptional && text.trim() === '' ? undefined : parseJson(text);
}

function isSame(text: string, value: Json | undefined, isOptional: boolean): boolean {
  try {
    return JSON.stringify(valueOf(text, isOptional)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/** CodeMirror as a field. Tab leaves it, like any other field. */
export default function CodeMirror(props: JsonEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const current = useRef(props);
  const readOnly = useRef(new Compartment());
  const [said, setSaid] = useState('');
  useEffect(() => {
    current.current = props;
  });

  useEffect(() => {
    const made = makeView(box.current!, current, readOnly.current, setSaid);
    view.current = made;
    return () => made.destroy();
  }, []);

  const { value, unread, errors, isReadOnly = false, isOptional = false, rows = 4 } = props;
  useEffect(() => {
    const editor = view.current!;
    const text = editor.state.doc.toString();
    const isShown = unread === undefined ? isSame(text, value, isOptional) : text === unread;
    if (!isShown) editor.dispatch({ changes: { from: 0, to: text.length, insert: unread ?? textOf(value) } });
  }, [value, unread, isOptional]);
  useEffect(() => view.current!.dispatch({ effects: checkAgain.of(null) }), [errors]);
  useEffect(() => {
    view.current!.dispatch({ effects: readOnly.current.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [isReadOnly]);

  return (
    <div>
      <div ref={box} className={css.jsonEditor} style={{ minHeight: rows * LINE_PX }} />
      <div role="status" className="field-error small">
        {said}
      </div>
    </div>
  );
}

type Current = { current: JsonEditorProps };

function makeView(parent: HTMLElement, props: Current, readOnly: Compartment, say: (text: string) => void): EditorView {
  const { label, describedBy, value, unread, isReadOnly = false } = props.current;
  const check = (text: string): ReturnType<typeof faultsOf> =>
    faultsOf(text, props.current.errors ?? [], props.current.isOptional ?? false);
  return new EditorView({
    parent,
    doc: unread ?? textOf(value),
    extensions: [
      EditorView.cspNonce.of(nonce),
      // Ctrl+Enter saves the form.
      keymap.of([...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'), ...historyKeymap]),
      history(),
      json(),
      indentOnInput(),
      bracketMatching(),
      lineNumbers(),
      drawSelection(),
      highlightActiveLine(),
      EditorView.lineWrapping,
      theme,
      readOnly.of(EditorState.readOnly.of(isReadOnly)),
      EditorView.contentAttributes.of({
        'aria-label': label,
        tabindex: '0',
        ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
      }),
      linter(({ state }) => check(state.doc.toString()).map((fault) => ({ ...fault, severity: 'error' as const })), {
        needsRefresh: (update) => update.transactions.some(({ effects }) => effects.some((one) => one.is(checkAgain))),
      }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        const text = update.state.doc.toString();
        const { isOptional = false, value: before, unread: unreadBefore, onValue, onUnread } = props.current;
        try {
          const next = valueOf(text, isOptional);
          say('');
          if (unreadBefore !== undefined || JSON.stringify(next) !== JSON.stringify(before)) onValue(next);
        } catch {
          say(check(text)[0]?.message ?? 'This is not JSON.');
          if (text !== unreadBefore) onUnread(text);
        }
      }),
    ],
  });
}
