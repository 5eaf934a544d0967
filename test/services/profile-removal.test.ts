import { beforeEach, describe, expect, it } from 'vitest';
import { TOKEN_TRANSFER } from '../../config/limits/funds.ts';
import { PROFILE_REMOVAL } from '../../config/limits/identity.ts';
import type { MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import type { StoreWriter } from '../../src/ports/store.ts';
import {
  BALANCES,
  OPEN_ORDERS,
  POSITIONS,
  POSITION_TIMES,
} from '../../src/services/books/tables.ts';
import {
  DEPOSIT_ADDRESSES,
  type DepositAddressRecord,
} from '../../src/services/funding/deposit-addresses.ts';
import { OPEN_DEPOSITS } from '../../src/services/funding/tables.ts';
import { createProfileRemoval } from '../../src/services/profile-removal.ts';
import { USERS } from '../../src/services/sign-in/tables.ts';
import { PAYMENTS, OPEN_TRANSACTIONS } from '../../src/services/transactions/tables.ts';
import type { TokenBalance } from '../../src/services/web3/balances.ts';
import type { WalletView, WalletViews } from '../../src/services/web3/wallet-views.ts';
import { aSender, REQUEST } from '../support/worlds/token-sender.ts';
import { openRuntime } from './sign-in/identity-runtime.ts';

const PHONE = '+14155552671';
const CLIENT = { address: '203.0.113.7', program: 'a browser' };
type Runtime = Awaited<ReturnType<typeof openRuntime<MemoryStore>>>;
let runtime: Runtime;
let userId: UserId;
let accessToken: string;
let stopped: UserId[];
let views: WalletView[];
let viewedSinceMs: (number | undefined)[];
let duringCheck: () => Promise<unknown>;
let bridge: () => Promise<unknown>;

beforeEach(async () => {
  runtime = await openRuntime();
  ({ userId, accessToken } = await signIn());
  await runtime.accounts.setUsername(userId, 'ada_l');
  stopped = [];
  views = [aView()];
  viewedSinceMs = [];
  duringCheck = async () => undefined;
  bridge = async () => undefined;
});

async function signIn() {
  const { challengeId } = await runtime.sessions.requestCode(PHONE);
  return runtime.sessions.verifyCode(challengeId, runtime.sent.at(-1)?.code ?? '');
}

function coin(worthMicros: bigint | null, part: Partial<TokenBalance> = {}): TokenBalance {
  return {
    address: null,
    symbol: 'ETH',
    decimals: 18,
    raw: 10n ** 17n,
    origin: 'known',
    warnings: [],
    price: null,
    worthMicros,
    ...part,
  };
}

function aView(part: Partial<WalletView> = {}): WalletView {
  return {
    chain: 'BASE',
    walletType: 'EVM',
    address: '0x1',
    balances: { native: coin(BigInt(PROFILE_REMOVAL.dustMicros - 1)), tokens: [] },
    cashMicros: 0n,
    error: null,
    indexError: null,
    asOfMs: 0,
    ...part,
  };
}

function service() {
  const { store, commit, clock, digests, directory, logger, vault, codes } = runtime;
  // of a chain only these two are looked at
  const chains = (['BASE', 'POLYGON'] as const).map((chain) => ({
    chain,
    isConnected: chain === 'BASE',
  })) as unknown as ReturnType<WalletViews['chains']>;
  return createProfileRemoval({
    store,
    commit,
    clock,
    digests,
    directory,
    log: logger,
    vault,
    codes,
    agents: {
      async stopAll(who) {
        stopped.push(who);
        await duringCheck();
        return [];
      },
    },
    wallets: {
      async view(_, sinceMs) {
        viewedSinceMs.push(sinceMs);
        return views;
      },
      chains: () => chains,
    },
    deposits: { refresh: async () => void (await bridge()) },
  });
}

async function aProof() {
  const { challengeId } = await service().requestCode(userId, CLIENT);
  return { challengeId, code: runtime.sent.at(-1)?.code ?? '' };
}

const DEPOSITS: DepositAddressRecord = {
  safe: asId('0x1'),
  addresses: { evm: '0xABcd', solana: 'So1', bitcoin: 'bc1', tron: 'T1' } as never,
  givenAtMs: 1,
};
const evmKey = () => runtime.accounts.profile(userId).wallets.evm.toLowerCase();

const put = (write: (tx: StoreWriter) => void) => runtime.commit(write);

describe('removing an account', () => {
  it('ends agents, sessions, keys, username and ways in for a fresh code, and keeps what was done', async () => {
    const key = await runtime.apiKeys.create(
      { userId, authenticatedAtMs: runtime.clock.nowMs() },
      { name: 'bot', scopes: ['read'] },
    );
    const removedAtMs = await service().remove(userId, await aProof(), CLIENT);
    expect([stopped, removedAtMs]).toEqual([[userId], runtime.clock.nowMs()]);
    await expect(runtime.sessions.authenticate(accessToken)).rejects.toMatchObject({
      code: 'token_invalid',
    });
    await expect(runtime.apiKeys.authenticate(key.key)).rejects.toMatchObject({
      code: 'api_key_invalid',
    });
    expect(runtime.store.get(USERS, [userId])?.value).toMatchObject({
      username: null,
      phoneDigest: null,
      phoneMasked: null,
      phoneSealed: null,
      identities: [],
      removedAtMs,
    });
    const anew = await signIn();
    expect(anew.userId).not.toBe(userId);
    expect((await runtime.accounts.setUsername(anew.userId, 'ada_l')).username).toBe('ada_l');
    expect(await runtime.accounts.recover()).toEqual([anew.userId]);
    expect(
      runtime.entries.flatMap(({ event }) =>
        event.type === 'audit.recorded' && event.userId === userId ? [event.action] : [],
      ),
    ).toEqual(expect.arrayContaining(['removal_asked', 'account_removed']));
  });

  it.each<[string, (tx: StoreWriter) => void, string]>([
    [
      'cash',
      (tx) => tx.put(BALANCES, [userId, 'usdc:safe'], { settled: 1_500_000, provisional: 0 }),
      '/cash/usdc:safe',
    ],
    ['a position', (tx) => tx.put(POSITION_TIMES, [userId, 'open', 1, 'tok'], true), '/positions'],
    ['an order', (tx) => tx.put(OPEN_ORDERS, [userId, 'int_1'], {} as never), '/orders'],
    [
      'a transaction under way',
      (tx) => tx.put(OPEN_TRANSACTIONS, [userId, 'BASE', 'evm', '0x1', 1, 'txn_1'], {} as never),
      '/transactions',
    ],
    [
      'a payment of another user under way to a wallet of it',
      (tx) => tx.put(PAYMENTS, [evmKey(), 'usr_b', 'txn_1'], { arrivedAtMs: null }),
      '/incoming',
    ],
    [
      'one to an address that it was given for deposits',
      (tx) => {
        tx.put(DEPOSIT_ADDRESSES, [userId], DEPOSITS);
        tx.put(PAYMENTS, ['0xabcd', 'usr_b', 'txn_1'], { arrivedAtMs: null });
      },
      '/incoming',
    ],
    [
      'one that arrived there of late, of which the bridge need not tell yet',
      (tx) => {
        tx.put(DEPOSIT_ADDRESSES, [userId], DEPOSITS);
        const arrivedAtMs = runtime.clock.nowMs() - TOKEN_TRANSFER.bridgeTellsMs;
        tx.put(PAYMENTS, ['0xabcd', 'usr_b', 'txn_1'], { arrivedAtMs });
      },
      '/incoming',
    ],
    [
      'a deposit under way',
      (tx) => tx.put(OPEN_DEPOSITS, [userId, '0x1', 'dep_1'], {} as never),
      '/deposits',
    ],
  ])(
    'is refused by the name of the place while there is %s, and uses no code up',
    async (_, write, path) => {
      const proof = await aProof();
      await put(write);
      await expect(service().remove(userId, proof, CLIENT)).rejects.toMatchObject({
        code: 'account_not_empty',
        fields: [expect.objectContaining({ path })],
      });
      expect(stopped).toEqual([]);
      expect((await runtime.sessions.authenticate(accessToken)).userId).toBe(userId);
    },
  );

  it.each<[string, Partial<WalletView>, object]>([
    [
      'a dollar',
      { balances: { native: coin(BigInt(PROFILE_REMOVAL.dustMicros)), tokens: [] } },
      { code: 'account_not_empty', fields: [{ path: '/wallets/EVM/BASE', message: '0.1 ETH' }] },
    ],
    [
      'a coin whose price is late',
      { balances: { native: coin(null), tokens: [] } },
      { code: 'account_not_empty' },
    ],
    [
      'what could not be read',
      { balances: null, error: 'no answer' },
      { code: 'chain_unavailable', retryable: true },
    ],
  ])('is refused while a wallet has %s', async (_, view, refusal) => {
    const proof = await aProof();
    views = [aView(view)];
    await expect(service().remove(userId, proof, CLIENT)).rejects.toMatchObject(refusal);
    const { length } = runtime.sent;
    await expect(aProof()).rejects.toMatchObject(refusal);
    expect(runtime.sent.length).toBe(length);
  });

  it('is refused while the bridge has a payment that is in no books yet, or cannot be asked', async () => {
    const proof = await aProof();
    bridge = () => put((tx) => tx.put(OPEN_DEPOSITS, [userId, '0x1', 'dep_1'], {} as never));
    await expect(service().remove(userId, proof, CLIENT)).rejects.toMatchObject({
      code: 'account_not_empty',
    });
    const away = new AppError('bridge_unavailable', 'no answer', { retryable: true });
    bridge = () => Promise.reject(away);
    await expect(service().remove(userId, proof, CLIENT)).rejects.toBe(away);
    expect(stopped).toEqual([]);
  });

  it('leaves out chains it has no node of, and tokens of unknown worth', async () => {
    const unknown = coin(null, { address: '0x2', symbol: null, origin: 'indexed' });
    views = [
      aView({ balances: { native: coin(0n), tokens: [unknown] } }),
      aView({ chain: 'POLYGON', balances: null, error: 'no node' }),
    ];
    await service().remove(userId, await aProof(), CLIENT);
    expect(runtime.store.get(USERS, [userId])?.value.removedAtMs).toBeDefined();
  });

  it.each([
    [PROFILE_REMOVAL.dustShareMicros - 1, true],
    [PROFILE_REMOVAL.dustShareMicros, false],
  ])('takes %i millionths of a share for nothing: %s', async (shares, isDust) => {
    const proof = await aProof();
    await put((tx) => {
      tx.put(POSITION_TIMES, [userId, 'open', 1, 'tok'], true);
      tx.put(POSITIONS, [userId, 'tok'], { shares } as never);
    });
    const removal = service().remove(userId, proof, CLIENT);
    if (isDust) await expect(removal).resolves.toBe(runtime.clock.nowMs());
    else await expect(removal).rejects.toMatchObject({ code: 'account_not_empty' });
  });

  it('is refused where something comes in at the last moment', async () => {
    const proof = await aProof();
    duringCheck = () => put((tx) => tx.put(OPEN_ORDERS, [userId, 'int_1'], {} as never));
    await expect(service().remove(userId, proof, CLIENT)).rejects.toMatchObject({
      code: 'account_not_empty',
    });
    expect((await runtime.sessions.authenticate(accessToken)).userId).toBe(userId);
  });

  it.each(['sign-in', 'export'] as const)('takes no code for %s', async (kind) => {
    const { challengeId } =
      kind === 'sign-in'
        ? await runtime.sessions.requestCode(PHONE)
        : await runtime.keyExport.requestCode(userId, CLIENT);
    const proof = { challengeId, code: runtime.sent.at(-1)?.code ?? '' };
    await expect(service().remove(userId, proof, CLIENT)).rejects.toMatchObject({
      code: 'code_expired',
    });
    await expect(
      service().remove(userId, { challengeId: null, code: null }, CLIENT),
    ).rejects.toMatchObject({ code: 'code_required' });
  });
});

describe('removing an account that another user of this service pays', () => {
  const solana = () => runtime.accounts.profile(userId).wallets.solana;
  const refused = { code: 'account_not_empty', fields: [{ path: '/incoming', message: '1 open' }] };

  it('is refused from when the payment is queued until the chain is final, and sends no code', async () => {
    const proof = await aProof();
    const sender = await aSender({ runtime });
    sender.rail.drops = true;
    const { transferId } = await sender.send({ ...REQUEST, to: solana() });
    expect(sender.transfers.get(sender.userId, transferId)?.state).toBe('sent');
    const { length } = runtime.sent;
    await expect(aProof()).rejects.toMatchObject(refused);
    await expect(service().remove(userId, proof, CLIENT)).rejects.toMatchObject(refused);
    expect(runtime.sent.length).toBe(length);
    sender.rail.drops = false;
    await runtime.clock.advance(120_000);
    expect(sender.transfers.get(sender.userId, transferId)?.state).toBe('settled');
    await expect(service().remove(userId, await aProof(), CLIENT)).resolves.toBeDefined();
  });

  it.each([
    ['is still under way', true],
    ['has already ended', false],
  ])(
    'is refused where one was sent between its last reading and its end, and %s',
    async (_, drops) => {
      const proof = await aProof();
      const sender = await aSender({ runtime });
      sender.rail.drops = drops;
      duringCheck = () => sender.send({ ...REQUEST, to: solana() });
      await expect(service().remove(userId, proof, CLIENT)).rejects.toMatchObject(refused);
      expect((await runtime.sessions.authenticate(accessToken)).userId).toBe(userId);
    },
  );

  it('is not refused for one that arrived long ago, or in a wallet that was read since', async () => {
    const nowMs = runtime.clock.nowMs();
    await put((tx) => {
      tx.put(DEPOSIT_ADDRESSES, [userId], DEPOSITS);
      tx.put(PAYMENTS, ['0xabcd', 'usr_b', 'txn_1'], {
        arrivedAtMs: nowMs - TOKEN_TRANSFER.bridgeTellsMs - 1,
      });
      tx.put(PAYMENTS, [evmKey(), 'usr_b', 'txn_2'], { arrivedAtMs: nowMs - 1 });
    });
    await expect(service().remove(userId, await aProof(), CLIENT)).resolves.toBe(nowMs);
  });

  it('reads wallets as they are after the payments are looked for', async () => {
    const proof = await aProof();
    await service().remove(userId, proof, CLIENT);
    expect(viewedSinceMs).toEqual([runtime.clock.nowMs(), runtime.clock.nowMs()]);
  });

  it('leaves no way to pay it afterwards, also for whoever had a code for it', async () => {
    const sender = await aSender({ runtime });
    const request = { ...REQUEST, to: solana() };
    const code = await sender.codeFor(request);
    await service().remove(userId, await aProof(), CLIENT);
    const gone = { code: 'invalid_request', fields: [{ path: '/to' }] };
    await expect(
      sender.transfers.transfer(sender.userId, request, { ...code, waitMs: 0 }),
    ).rejects.toMatchObject(gone);
    await expect(sender.codeFor(request)).rejects.toMatchObject(gone);
    expect(sender.rail.signatures).toBe(0);
  });

  it('lets a payment that is queued in the same moment be refused, or refuse the removal', async () => {
    const sender = await aSender({ runtime });
    const request = { ...REQUEST, to: solana() };
    const code = await sender.codeFor(request);
    const proof = await aProof();
    const [removed, sent] = await Promise.allSettled([
      service().remove(userId, proof, CLIENT),
      sender.transfers.transfer(sender.userId, request, { ...code, waitMs: 0 }),
    ]);
    expect([removed.status, sent.status].toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});
