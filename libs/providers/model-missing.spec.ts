import { classifyStatus } from './classify-failure.js';

const failureOf = (status: number, error: object | string) =>
  classifyStatus(status, undefined, error, typeof error === 'string' ? error : '', {
    baseUrl: 'https://api.example.com/v1',
  });

it.each<[number, object | string]>([
  [404, { message: 'The model `gpt-x` does not exist or you do not have access to it.', code: 'model_not_found' }],
  [404, { type: 'not_found_error', message: 'model: claude-x' }],
  [404, { message: 'models/gemini-x is not found for API version v1beta, or is not supported for generateContent.' }],
  [404, 'model "llama-x" not found, try pulling it first'],
  [404, { message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 }],
  [404, { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' }],
  [404, { message: 'No endpoints found for a/b.' }],
  [400, { message: 'a/b is not a valid model ID' }],
  [400, { message: 'Invalid model: mistral-x', code: '1500' }],
  [400, { message: 'Model Not Exist' }],
  [400, { message: 'The provided model identifier is invalid.' }],
  [400, { message: 'The model `x` has been decommissioned and is no longer supported.' }],
])('%d %j means that the model does not exist', (status, error) =>
  expect(failureOf(status, error)).toMatchObject({ kind: 'bad_request', isModelMissing: true }),
);

it.each<[number, object | string]>([
  [404, 'Not Found'],
  [404, { message: 'No endpoints found that support tool use.' }],
  [400, { message: 'This model does not support tools' }],
  [400, { message: 'tools[0].function.name not found' }],
  [500, { message: 'model not found' }],
  [401, { message: 'model not found' }],
  [400, `model ${'x'.repeat(1_000_000)} not found`],
])('%d %.60j means something else', (status, error) => expect(failureOf(status, error).isModelMissing).toBe(false));
