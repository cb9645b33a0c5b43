import { Fragment, isValidElement, type ComponentProps, type ReactElement } from 'react';
import {
  ChoiceField,
  FlagField,
  JsonField,
  JsonTextField,
  LinesField,
  LongTextField,
  NumberField,
  TextField,
} from './fields';
import { FoldedFields } from './folded-fields';

type KeysOf<Value> = Value extends readonly unknown[] ? never : Value extends object ? keyof Value & string : never;
/** The keys of a request, and those within them. */
type PathsIn<Value> = Value extends object
  ? { [Key in KeysOf<Value>]: Key | `${Key}.${KeysOf<NonNullable<Value[Key]>>}` }[KeysOf<Value>]
  : never;
type Of<Kind extends string, Component extends (props: never) => unknown, At> = {
  [Key in Kind]: At;
} & Omit<Parameters<Component>[0], 'path'>;

/** A field: its kind with the place of its value, as in `{ number: 'budget.max_requests', label: 'Requests' }`. */
type FieldSchema<At> =
  | Of<'text', typeof TextField, At>
  | Of<'longText', typeof LongTextField, At>
  | Of<'number', typeof NumberField, At>
  | Of<'choice', typeof ChoiceField, At>
  | Of<'lines', typeof LinesField, At>
  | Of<'json', typeof JsonField, At>
  | Of<'jsonText', typeof JsonTextField, At>
  | Of<'flag', typeof FlagField, At>;

/** Fields that are rarely needed, behind a summary. */
interface Folded<At> {
  folded: string;
  of: FormSchema<never, At>;
}

/**
 * The fields of a form, from the top. Those of an inner list share a row; an element is a control of its own.
 * @typeParam Value the request, whose keys the fields are at; the default allows all
 */
export type FormSchema<Value = never, At = [Value] extends [never] ? string : PathsIn<Value>> = readonly (
  FieldSchema<At> | readonly (FieldSchema<At> | ReactElement)[] | Folded<At> | ReactElement
)[];

const KINDS = {
  text: TextField,
  longText: LongTextField,
  number: NumberField,
  choice: ChoiceField,
  lines: LinesField,
  json: JsonField,
  jsonText: JsonTextField,
  flag: FlagField,
};
type Kind = keyof typeof KINDS;

/** @param within the place of the value in the form's, with dots */
export function Fields<At extends string>({ of, within }: { of: FormSchema<never, At>; within?: string }) {
  return of.map((entry, place) => {
    if (isValidElement(entry)) return <Fragment key={place}>{entry}</Fragment>;
    if (Array.isArray(entry))
      return (
        <div key={place} className="in-row">
          <Fields of={entry as FormSchema} within={within} />
        </div>
      );
    if ('folded' in entry)
      return (
        <FoldedFields key={place} summary={entry.folded} fields={pointersOf(entry.of as FormSchema, within)}>
          <Fields of={entry.of as FormSchema} within={within} />
        </FoldedFields>
      );
    const [kind, at, options] = fieldOf(entry as FieldSchema<string>);
    const Field = KINDS[kind] as (props: ComponentProps<typeof TextField>) => ReactElement;
    return <Field key={at} {...options} path={within ? `${within}.${at}` : at} />;
  });
}

function fieldOf(entry: FieldSchema<string>): [Kind, string, { label: string }] {
  const kind = (Object.keys(KINDS) as Kind[]).find((one) => one in entry)!;
  const { [kind]: at, ...options } = entry as Record<Kind, string> & { label: string };
  return [kind, at, options];
}

/** JSON Pointers of all fields. */
const pointersOf = (of: FormSchema, within = ''): string[] =>
  of.flatMap((entry) => {
    if (isValidElement(entry)) return [];
    if (Array.isArray(entry)) return pointersOf(entry as FormSchema, within);
    if ('folded' in entry) return pointersOf(entry.of as FormSchema, within);
    const [, at] = fieldOf(entry as FieldSchema<string>);
    return [`/${(within ? `${within}.${at}` : at).replaceAll('.', '/')}`];
  });
