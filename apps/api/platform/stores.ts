/**
 * What `PlatformModule` provides in addition to the classes `Sealer` and `Shutdown`: `@Inject(POOL) readonly pool:
 * Pool`.
 */
export const ENV = Symbol('ENV');
export const LOGGER = Symbol('LOGGER');
export const POOL = Symbol('POOL');
export const REDIS = Symbol('REDIS');
/** `KeyRefs`: keys that the operator keeps outside of Toolmark. */
export const KEY_REFS = Symbol('KEY_REFS');
/** A `LargeBodyReader`, if the application has threads. */
export const BODY_READER = Symbol('BODY_READER');
