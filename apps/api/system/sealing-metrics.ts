import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { SEALED_PLACES } from '#lib/db/catalogue/sealed-secrets';
import { checkHealth } from '#lib/runtime/health-check';
import { registry } from '#lib/runtime/metrics';
import { SealedCounts } from './sealed-counts.js';

const left = new Gauge({
  name: 'toolmark_secrets_to_reseal',
  help: 'Secrets that the first sealing key has not sealed yet.',
  labelNames: ['place'],
  registers: [registry],
});

/** Says how far the rotation of the sealing key is; nothing while Postgres does not answer. */
@Injectable()
export class SealingMetrics {
  constructor(readonly counts: SealedCounts) {}

  async refresh(): Promise<void> {
    const health = await checkHealth(
      this.counts.read().then((counts) => {
        for (const place of SEALED_PLACES) {
          const ofPlace = counts.filter((count) => count.place === place && count.isLeft);
          left.set(
            { place },
            ofPlace.reduce((sum, { secrets }) => sum + secrets, 0),
          );
        }
      }),
    );
    if (health === 'down') left.reset();
  }
}
