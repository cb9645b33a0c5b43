/** The name of a model in requests, results and messages: `provider_key::model_id`. */
export const targetName = ({ providerKey, modelId }: { providerKey: string; modelId: string }): string =>
  `${providerKey}::${modelId}`;

/** The id of a target's model at its provider: `provider_key::model_id` without the provider. */
export const modelOf = (target: string): string => target.split('::').slice(1).join('::') || target;
