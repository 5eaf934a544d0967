/**
 * Embeds the daemon: `startService(readEnvironment({ PREDICTD_PROFILE: 'sandbox' }), { print })`.
 */
export { readEnvironment } from '../config/schema.ts';
export type { Environment } from '../config/schema.ts';
export { startService } from './app/compose.ts';
export type { Service, ServiceOptions } from './app/compose.ts';
export { AppError } from './domain/errors.ts';
