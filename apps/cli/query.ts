/** The query of these values, without undefined and false ones. */
export const queryOf = (values: Record<string, string | number | boolean | undefined>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(values)
      .filter(([, value]) => value !== undefined && value !== false)
      .map(([name, value]): [string, string] => [name, String(value)]),
  );
