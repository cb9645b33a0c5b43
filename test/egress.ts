import type { EgressSettings } from '#lib/egress/egress';

/** All private addresses are allowed. */
export const ALL_NETWORKS: EgressSettings = { allowedNetworks: ['0.0.0.0/0', '::/0'], noProxy: [] };
/** None is. */
export const PUBLIC_NETWORKS: EgressSettings = { allowedNetworks: [], noProxy: [] };
