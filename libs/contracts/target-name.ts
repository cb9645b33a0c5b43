/** The name of a model in requests, results and messages: `provider_key::model_id`. */
export const targetName = ({ providerKey, modelId }: { providerKey: string; modelId: string }): string =>
  `${providerKey}::${modelId}`;
