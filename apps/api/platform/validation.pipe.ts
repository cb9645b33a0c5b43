import { StandardSchemaValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { Upload } from './upload.js';

/** Holds what a request says to the schemas of its route, but for an upload: whoever reads it checks it. */
export class ValidationPipe extends StandardSchemaValidationPipe {
  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    return value instanceof Upload ? value : super.transform(value, metadata);
  }
}
