import { AppError } from '../../src/domain/errors.ts';
import type { Environment } from '../schema.ts';

/** Feeds that prices and books are read from, and what both sides of a link know. */
export interface FeedsPlan {
  readonly urls: readonly string[];
  readonly secret: string;
}

const SECRET_MINIMUM = 32;

/**
 * Reads where prices and books come from: null for the sources themselves. Errors:
 * `config_invalid` for feeds of a process that reads none, or without the secret of the links.
 */
export function readFeeds(environment: Environment): FeedsPlan | null {
  const { PREDICTD_ROLE: role, PREDICTD_FEED_URLS: urls, PREDICTD_PROFILE } = environment;
  if (role === 'feed') {
    if (urls === undefined) return null;
    throw new AppError(
      'config_invalid',
      'PREDICTD_ROLE=feed takes no PREDICTD_FEED_URLS: a feed reads from the sources themselves.',
    );
  }
  if (urls === undefined) {
    if (environment.PREDICTD_LINK_SECRET === undefined) return null;
    throw new AppError(
      'config_invalid',
      'PREDICTD_LINK_SECRET goes with PREDICTD_FEED_URLS, or with PREDICTD_ROLE=feed; set both, or neither.',
    );
  }
  if (PREDICTD_PROFILE === 'sandbox')
    throw new AppError(
      'config_invalid',
      'the sandbox profile takes no PREDICTD_FEED_URLS: its world is in the process itself.',
    );
  const [secret = ''] = linkSecrets(environment);
  return { urls, secret };
}

/**
 * Reads the secrets of the links, the first of which is shown. Errors: `config_invalid` without one
 * or for a short one.
 */
export function linkSecrets({ PREDICTD_LINK_SECRET: text }: Environment): readonly string[] {
  const secrets = text?.split(',') ?? [];
  if (
    secrets.length === 0 ||
    secrets.length > 2 ||
    secrets.some((secret) => secret.length < SECRET_MINIMUM)
  )
    throw new AppError(
      'config_invalid',
      `PREDICTD_LINK_SECRET must be one secret of at least ${SECRET_MINIMUM} characters, the same at feeds and readers, or two with a comma between them while one replaces the other.`,
    );
  return secrets;
}
