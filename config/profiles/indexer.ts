import { AppError } from '../../src/domain/errors.ts';
import type { Environment } from '../schema.ts';
import type { Credentials } from './profile.ts';

/**
 * The indexer of wallets' tokens: off unless its address and its key are both set. Errors:
 * `config_invalid` where one of them is missing.
 */
export function readIndexer({
  PREDICTD_INDEXER_URL: url,
  PREDICTD_INDEXER_KEY: key,
}: Environment): Credentials['indexer'] {
  if (url === undefined && key === undefined) return null;
  if (url !== undefined && key !== undefined) return { url, key };
  const [given, missing] =
    url === undefined
      ? ['PREDICTD_INDEXER_KEY', 'PREDICTD_INDEXER_URL']
      : ['PREDICTD_INDEXER_URL', 'PREDICTD_INDEXER_KEY'];
  throw new AppError(
    'config_invalid',
    `${given} is set without ${missing}: an indexer needs both; set it and start again.`,
  );
}
