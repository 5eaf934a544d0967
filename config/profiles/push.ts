import { AppError } from '../../src/domain/errors.ts';
import type { Environment } from '../schema.ts';

/** How messages reach browsers. */
export interface PushPlan {
  /** Whom push services write to; null where none are sent. */
  readonly contact: string | null;
  /** The private key messages are signed by; null for the one kept in the store. */
  readonly privateKey: string | null;
  /** Push services that may be called. */
  readonly hosts: readonly string[];
}

/** Push services of today's browsers: Chromium's, Firefox's, Safari's, Edge's. */
const HOSTS =
  'fcm.googleapis.com,updates.push.services.mozilla.com,web.push.apple.com,*.push.apple.com,*.notify.windows.com';

/**
 * Reads the settings of web push. Errors: `config_invalid` for a key without a contact, without
 * which none would be used.
 */
export function readPush(
  environment: Environment,
  { contact }: Pick<PushPlan, 'contact'>,
): PushPlan {
  const plan: PushPlan = {
    contact: environment.PREDICTD_PUSH_CONTACT ?? contact,
    privateKey: environment.PREDICTD_PUSH_PRIVATE_KEY ?? null,
    hosts: (environment.PREDICTD_PUSH_HOSTS ?? HOSTS).split(','),
  };
  if (plan.privateKey !== null && plan.contact === null)
    throw new AppError(
      'config_invalid',
      'PREDICTD_PUSH_PRIVATE_KEY needs PREDICTD_PUSH_CONTACT; set both, or neither.',
    );
  return plan;
}
