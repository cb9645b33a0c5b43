const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** The locations in an OpenAPI document where a route, parameter, schema or field lacks a description or an example. */
export function findUndescribed({ paths, components, tags = [] }) {
  const faults = [];
  const need = (there, place, what) => void (there || faults.push(`${place} has no ${what}`));
  const described = new Set(tags.filter(({ description }) => description).map(({ name }) => name));

  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item).filter(([key]) => METHODS.has(key))) {
      const place = `${method.toUpperCase()} ${path}`;
      need(operation.summary, place, 'summary: give it @About');
      need(operation.description, place, 'description: give it @About');
      for (const tag of operation.tags ?? []) need(described.has(tag), `The tag "${tag}" of ${place}`, 'description');
      for (const parameter of operation.parameters ?? [])
        checkParameter(parameter, `Parameter "${parameter.name}" of ${place}`);
      if (operation.requestBody) checkContents(operation.requestBody.content, `The body of ${place}`);
      for (const [status, response] of Object.entries(operation.responses))
        checkResponse(response, `Answer ${status} of ${place}`);
    }
  }
  for (const [name, parameter] of Object.entries(components.parameters ?? {}))
    checkParameter(parameter, `Parameter "${name}"`);
  for (const [name, response] of Object.entries(components.responses ?? {})) checkResponse(response, name);
  for (const [name, scheme] of Object.entries(components.securitySchemes ?? {}))
    need(scheme.description, name, 'description');
  for (const [name, schema] of Object.entries(components.schemas)) {
    need(schema.description, name, 'description');
    checkFields(schema, name);
  }
  return faults;

  function checkParameter(parameter, place) {
    if (parameter.$ref) return;
    need(parameter.description, place, 'description');
    need(parameter.example !== undefined || parameter.schema?.examples?.length, place, 'example');
  }

  function checkResponse(response, place) {
    if (response.$ref) return;
    need(response.description, place, 'description');
    if (response.content) checkContents(response.content, place);
  }

  function checkContents(contents, place) {
    for (const [type, { schema, example, examples }] of Object.entries(contents)) {
      need(example !== undefined || Object.keys(examples ?? {}).length, `${place} (${type})`, 'example');
      checkFields(schema, place);
    }
  }

  function checkFields(schema, place) {
    if (typeof schema !== 'object' || schema === null || schema.$ref) return;
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const at = `${place}.${name}`;
      need(field.description, at, 'description');
      need(field.examples?.length || field.example !== undefined, at, 'example');
      checkFields(field, at);
    }
    for (const inner of [schema.items, schema.additionalProperties, ...(schema.prefixItems ?? [])])
      checkFields(inner, `${place}[]`);
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      checkFields(part, place);
  }
}
