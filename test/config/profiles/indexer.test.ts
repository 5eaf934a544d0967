import { expect, it } from 'vitest';
import { sandboxProfile } from '../../../config/profiles/sandbox.ts';
import { readEnvironment } from '../../../config/schema.ts';

const SET = {
  PREDICTD_INDEXER_URL: 'https://{network}.g.alchemy.com/v2/',
  PREDICTD_INDEXER_KEY: 'key',
};
const indexerOf = (given: Readonly<Record<string, string>>) =>
  sandboxProfile(readEnvironment(given)).credentials.indexer;

it('an indexer of wallets is off unless its address and its key are set', () => {
  expect(indexerOf({})).toBeNull();
  expect(indexerOf(SET)).toEqual({ url: 'https://{network}.g.alchemy.com/v2', key: 'key' });
});

it.each(Object.keys(SET))(
  'an indexer of wallets is not guessed about when %s is missing',
  (name) => {
    const half = Object.fromEntries(Object.entries(SET).filter(([each]) => each !== name));
    expect(() => indexerOf(half)).toThrow(`is set without ${name}: an indexer needs both`);
  },
);

it.each([
  'https://eth-mainnet.g.alchemy.com/v2',
  '{network}',
  'ftp://{network}.example/',
  'https://{network}.example/{network}',
])('an indexer of wallets has one place for the name of a network, unlike %s', (url) => {
  expect(() => indexerOf({ ...SET, PREDICTD_INDEXER_URL: url })).toThrow(
    'PREDICTD_INDEXER_URL must be an address with {network} in it once',
  );
});
