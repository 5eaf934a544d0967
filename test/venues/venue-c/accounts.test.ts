import { recoverMessageAddress } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { VENUE_C_ACCOUNT } from '../../../config/limits/venue-c.ts';
import { loadKeccak, type Keccak } from '../../../src/adapters/wire/keccak.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { KeyVault } from '../../../src/ports/key-vault.ts';
import { createAccounts } from '../../../src/venues/venue-c/accounts.ts';
import { createAccountTokens } from '../../../src/venues/venue-c/identity.ts';
import { OTHER_KEY } from '../../conformance/venue-a-fixture.ts';
import { vaultWith } from '../../support/known-keys.ts';
import { aWire, type Answer } from './wire.ts';

const USER = asId<UserId>('usr_ada');
const GREETING = 'Please sign this message to verify your identity.\n\nNonce: 0123456789abcdef';
const SECRET = Buffer.from('a secret of the account').toString('base64');
const GWEI = 1_000_000_000n;

let keccak: Keccak;
beforeAll(async () => {
  keccak = await loadKeccak();
});

const tokenOf = (tokenId: string) => ({ tokenId, secret: SECRET, scopes: ['trading'] });
const profileOf = (feeRateBps: number) => ({ id: 7, account: '0x', rank: { id: 1, feeRateBps } });

async function begin({
  vault,
  sealed = new Map<UserId, string>(),
  hasProvider = true,
}: {
  readonly vault?: KeyVault;
  readonly sealed?: Map<UserId, string>;
  readonly hasProvider?: boolean;
} = {}) {
  const answers: Record<string, Answer> = {
    '/auth/signing-message': GREETING,
    '/identity': [201, { identityToken: 'ada-is-ada' }],
    '/auth/api-tokens/derive': [201, tokenOf('first')],
    '/profiles/me': profileOf(300),
  };
  const { client, transport, asked, wallClock } = aWire(answers);
  const keys = vault ?? (await vaultWith(keccak, USER, OTHER_KEY));
  const coins = { wei: 0n };
  const accounts = createAccounts({
    client,
    tokens: hasProvider
      ? createAccountTokens(client, { url: 'http://provider/identity', transport })
      : null,
    vault: keys,
    walletOf: async (userId) => keys.addressOf(userId),
    records: {
      get: (userId) => sealed.get(userId) ?? null,
      put: async (userId, text) => void sealed.set(userId, text),
    },
    clock: wallClock,
    wallet: {
      holdings: async () => ({ usdc: usdcMicros(5), tokens: new Map() }),
      history: () => Promise.reject(new Error('not asked')),
    },
    chain: {
      evm: { balances: async () => ({ wei: coins.wei, tokens: [] }) },
      accounts: { fees: async () => ({ maxFeePerGas: GWEI, maxPriorityFeePerGas: GWEI }) },
    },
  });
  const paths = () => asked.splice(0).map(({ path }) => path);
  return { answers, accounts, asked, paths, coins, sealed, vault: keys, wallClock };
}

const DERIVING = ['/auth/signing-message', '/identity', '/auth/api-tokens/derive', '/profiles/me'];

describe('an account at venue_c', () => {
  it('is opened by the signature of its wallet, for trading alone', async () => {
    const { accounts, asked, vault } = await begin();
    await accounts.open(USER);
    const address = vault.addressOf(USER);
    const bodyOf = (path: string) => {
      const body = asked.find((call) => call.path === path)?.body;
      return JSON.parse(String(body)) as Record<string, string>;
    };
    const { account, message, signature } = bodyOf('/identity');
    expect([account, message]).toEqual([address, GREETING]);
    expect(
      await recoverMessageAddress({ message: GREETING, signature: signature as `0x${string}` }),
    ).toBe(address);
    const deriving = asked.find(({ path }) => path === '/auth/api-tokens/derive');
    expect(deriving?.headers).toMatchObject({ identity: 'Bearer ada-is-ada' });
    expect(bodyOf('/auth/api-tokens/derive')).toMatchObject({ scopes: ['trading'] });
    expect(await accounts.accountOf(USER)).toEqual({
      tokenId: 'first',
      secret: SECRET,
      ownerId: 7,
      feeRateBps: 300,
      address,
    });
  });

  it('L12: is opened once, kept sealed, and found by the next process', async () => {
    const { accounts, paths, sealed, vault } = await begin();
    await Promise.all([accounts.accountOf(USER), accounts.accountOf(USER), accounts.open(USER)]);
    expect(paths()).toEqual(DERIVING);
    expect(sealed.get(USER)).not.toContain(SECRET);
    const again = await begin({ vault, sealed });
    expect(await again.accounts.accountOf(USER)).toMatchObject({ tokenId: 'first' });
    expect(again.paths()).toEqual([]);
  });

  it('that the venue took no more of is asked about, and opened anew where its token was revoked', async () => {
    const { accounts, answers, paths, wallClock } = await begin();
    await accounts.open(USER);
    await wallClock.advance(VENUE_C_ACCOUNT.renewEveryMs);
    paths();
    answers['/profiles/me'] = profileOf(250);
    accounts.refused(USER);
    expect(await accounts.accountOf(USER)).toMatchObject({ tokenId: 'first', feeRateBps: 250 });
    expect(paths()).toEqual(['/profiles/me']);
    accounts.refused(USER);
    await accounts.accountOf(USER);
    expect(paths()).toEqual([]);
    await wallClock.advance(VENUE_C_ACCOUNT.renewEveryMs);
    let isRevoked = true;
    answers['/profiles/me'] = () => {
      const answer = isRevoked ? [401, {}] : profileOf(250);
      isRevoked = false;
      return answer;
    };
    answers['/auth/api-tokens/derive'] = [201, tokenOf('second')];
    accounts.refused(USER);
    expect(await accounts.accountOf(USER)).toMatchObject({ tokenId: 'second' });
    expect(paths()).toEqual(['/profiles/me', ...DERIVING]);
  });

  it.each([
    'I give all that I have to 0x5a5a.\n\nNonce: 12',
    'Transfer everything\nNonce: 0123456789abcdef',
    `\u0000\n\nNonce: 0123456789abcdef`,
    'a'.repeat(500) + '\n\nNonce: 0123456789abcdef',
  ])('is not opened by signing what is no greeting', async (words) => {
    const { accounts, answers, paths } = await begin();
    answers['/auth/signing-message'] = words;
    await expect(accounts.open(USER)).rejects.toMatchObject({ code: 'venue_protocol' });
    expect(paths()).toEqual(['/auth/signing-message']);
  });

  it.each([
    [403, 'venue_restricted', false],
    [503, 'venue_unavailable', true],
  ])('says so where the venue answers %d', async (status, code, retryable) => {
    const { accounts, answers } = await begin();
    answers['/auth/api-tokens/derive'] = [status, { message: 'no' }];
    await expect(accounts.accountOf(USER)).rejects.toMatchObject({ code, retryable });
  });

  it('shows no secret in what it says of an answer it cannot read', async () => {
    const { accounts, answers } = await begin();
    answers['/auth/api-tokens/derive'] = [201, { secret: SECRET }];
    const said = await accounts.accountOf(USER).catch(String);
    expect(said).toContain('a token of an account');
    expect(said).not.toContain(SECRET);
  });

  it('without an identity provider has its wallet, and no token to trade with', async () => {
    const { accounts, paths } = await begin({ hasProvider: false });
    await accounts.open(USER);
    expect([await accounts.collateral(USER), paths()]).toEqual([5, []]);
    await expect(accounts.accountOf(USER)).rejects.toMatchObject({ code: 'wallet_not_ready' });
  });

  it('lacks coin for gas until it has enough, and says how much that is', async () => {
    const { accounts, coins, vault } = await begin();
    expect(await accounts.missing(USER)).toEqual([
      `not enough ETH on Base for gas: what a wallet allows before it trades, and a claim, take about 0.0007 ETH, and your wallet ${vault.addressOf(USER)} holds 0 ETH`,
    ]);
    coins.wei = GWEI * VENUE_C_ACCOUNT.gasNeeded;
    expect(await accounts.missing(USER)).toEqual([]);
  });
});
