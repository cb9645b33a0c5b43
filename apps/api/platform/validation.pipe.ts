import { StandardSchemaValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { LargeJson } from './large-bodies.js';
import { Upload } from './upload.js';

/**
 * Validates requests against the schemas of their route, except for uploads and large bodies that routes read as texts:
 * those are validated elsewhere, or while they are read.
 */
export class ValidationPipe extends StandardSchemaValidationPipe {
  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    return value instanceof Upload || value instanceof LargeJson ? value : super.transform(value, metadata);
  }
}
