import { z } from 'zod';

type Shape = z.core.$ZodLooseShape;

/** An object with a description. */
export const described = <Fields extends Shape>(description: string, fields: Fields) =>
  z.object(fields).describe(description);

/** An object that the OpenAPI document lists by name. */
export const named = <Fields extends Shape>(id: string, description: string, fields: Fields) =>
  z.object(fields).meta({ id, description });

/** A named object without unknown fields. */
export const namedInput = <Fields extends Shape>(id: string, description: string, fields: Fields) =>
  z.strictObject(fields).meta({ id, description });
