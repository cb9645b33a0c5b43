/** A thing as it was and as it is. */
export interface Before {
  before?: object | undefined;
  after?: object | undefined;
}

/** A field that changed. */
export interface FieldChange {
  field: string;
  before?: unknown;
  after?: unknown;
}

/** The fields that differ. */
export function changesBetween(_change: Before): FieldChange[] {
  return [];
}
