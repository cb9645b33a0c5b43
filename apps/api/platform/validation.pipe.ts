import { StandardSchemaValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { LargeJson } from './large-bodies.js';
import { Upload } from './upload.js';

/**
 * Holds what a request says to the schemas of its route, but for uploads and large bodies that routes read as texts:
 * they were checked, or are as they are read.
 */
export class ValidationPipe extends StandardSchemaValidationPipe {
  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    return value instanceof Upload || value instanceof LargeJson ? value : super.transform(value, metadata);
  }
}
