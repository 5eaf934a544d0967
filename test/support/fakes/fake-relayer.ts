import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { EvmCall, Hex } from '../../../src/ports/evm.ts';
import type {
  RelayWord,
  SafeTransactionStatus,
  SafeTransactionName,
  Safes,
  SignedSafeTransaction,
} from '../../../src/adapters/safe-relayer/safe-transaction.ts';
import type { SendOutcome } from '../../../src/ports/transactions.ts';
import type { FakeChain } from './fake-chain.ts';
import { hashOf } from './fake-chain-logs.ts';

/**
 * How the relayer treats the next sending. `lost`: takes it, the answer is lost. `dropped`: the
 * answer is lost and nothing was taken. `hangs`: takes it and never answers. `never`: takes it and
 * does nothing. `twice`: broadcasts two copies. `foreign_hash`: takes it and tells of another
 * transaction. `fails`: takes it and says it failed.
 */
export type RelayPlan =
  | 'ok'
  | 'lost'
  | 'dropped'
  | 'hangs'
  | 'never'
  | 'twice'
  | 'foreign_hash'
  | 'fails'
  | 'busy'
  | 'stale'
  | 'refused';

/** ExecutionSuccess(bytes32,uint256) of a Safe. */
const EXECUTION_SUCCESS: Hex = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e';

/** What the relayer does on a chain. */
export type SafeChain = Pick<FakeChain, 'state' | 'head' | 'hasCode' | 'allLogs' | 'send'>;

/** The rule from users to owners and from owners to Safes. */
export interface SafeNames {
  ownerOf(userId: UserId): Address;
  safeOf(owner: Address): Address;
}

const HASHED_NAMES: SafeNames = {
  ownerOf: (userId) => asId<Address>(`0x${hashOf(`owner ${userId}`).slice(2, 42)}`),
  safeOf: (owner) => asId<Address>(`0x${hashOf(`safe ${owner.toLowerCase()}`).slice(2, 42)}`),
};

interface Taken {
  readonly action: SignedSafeTransaction;
  readonly plan: RelayPlan;
}

/** The venue's rule of Safes and its relayer, over the fake chain. Keys are the users' names. */
export class FakeSafes implements Safes {
  readonly chain: SafeChain;
  /** How the next sendings are treated, in order; `ok` when none is left. */
  readonly plans: RelayPlan[] = [];
  /** How every sending is treated for which there is no plan. */
  usual: RelayPlan = 'ok';
  /** Takes the place of `usual`, drawn for each sending. */
  drawn: (() => RelayPlan) | null = null;
  /** Every sending that reached the relayer. */
  readonly received: SignedSafeTransaction[] = [];
  /** Signatures made, whether or not they were sent. */
  readonly signed: SignedSafeTransaction[] = [];
  readonly #taken = new Map<string, Taken>();

  readonly #names: SafeNames;

  constructor(chain: SafeChain, names: SafeNames = HASHED_NAMES) {
    this.chain = chain;
    this.#names = names;
  }

  ownerOf(userId: UserId): Address {
    return this.#names.ownerOf(userId);
  }

  addressOf(owner: Address): Address {
    return this.#names.safeOf(owner);
  }

  isDeployed(safe: Address): Promise<boolean> {
    return this.chain.hasCode(safe);
  }

  async nonce(safe: Address): Promise<number> {
    await this.chain.head();
    return this.chain.state.nonces.get(safe.toLowerCase()) ?? 0;
  }

  signCreate(userId: UserId): SignedSafeTransaction {
    const owner = this.ownerOf(userId);
    return this.#keep({
      kind: 'create',
      owner,
      safe: this.addressOf(owner),
      signature: hashOf(`create ${userId}`),
    });
  }

  signExecute(
    userId: UserId,
    {
      calls,
      nonce,
      note,
    }: { readonly calls: readonly EvmCall[]; readonly nonce: number; readonly note: string },
  ): SignedSafeTransaction {
    const owner = this.ownerOf(userId);
    const safe = this.addressOf(owner);
    const [first] = calls;
    const batch = Buffer.from(
      JSON.stringify(
        calls.map(({ to, data, valueWei }) => ({ to, data, valueWei: String(valueWei) })),
      ),
    ).toString('hex');
    const call: EvmCall =
      calls.length === 1 && first !== undefined
        ? first
        : { to: asId<Address>(`0x${'a2'.repeat(20)}`), data: `0x${batch}`, valueWei: 0n };
    const safeTxHash = hashOf(`${safe} ${nonce} ${call.to} ${call.data}`);
    return this.#keep({
      kind: 'execute',
      owner,
      safe,
      nonce,
      call,
      operation: calls.length === 1 ? 0 : 1,
      safeTxHash,
      signature: hashOf(`signed ${safeTxHash}`),
      note,
    });
  }

  bodyOf(action: SignedSafeTransaction): string {
    return JSON.stringify(action, (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  }

  async submit(body: string): Promise<SendOutcome> {
    const action = signedOf(body);
    this.received.push(action);
    const plan = this.plans.shift() ?? this.drawn?.() ?? this.usual;
    if (plan === 'dropped') return { kind: 'unknown', reason: 'the connection was reset' };
    if (plan === 'busy') return { kind: 'busy', reason: 'wallet busy: active action' };
    if (plan === 'stale')
      return { kind: 'stale', reason: 'batch nonce does not match on-chain nonce' };
    if (plan === 'refused') return { kind: 'refused', reason: 'the relayer does not want it' };
    const relayId = `relay-${this.#taken.size + 1}`;
    this.#taken.set(relayId, { action, plan });
    if (plan !== 'never' && plan !== 'fails') this.broadcast(action);
    if (plan === 'twice') this.broadcast(action);
    if (plan === 'hangs') return new Promise(() => undefined);
    return plan === 'lost'
      ? { kind: 'unknown', reason: 'the answer was lost' }
      : { kind: 'accepted', handle: relayId };
  }

  async lookup(relayId: string): Promise<RelayWord> {
    const taken = this.#taken.get(relayId);
    if (taken === undefined) return { kind: 'absent' };
    if (taken.plan === 'foreign_hash')
      return { kind: 'confirmed', transactionHash: hashOf('another') };
    if (taken.plan === 'fails')
      return { kind: 'failed', reason: 'execution reverted', transactionHash: null };
    return { kind: 'pending' };
  }

  async status(action: SafeTransactionName, sinceBlock: number): Promise<SafeTransactionStatus> {
    const { blockNumber: newest } = await this.chain.head();
    const name = action.kind === 'create' ? hashOf(`created ${action.safe}`) : action.safeTxHash;
    const executed = this.chain
      .allLogs()
      .find(({ topics, blockNumber }) => topics[1] === name && blockNumber >= sinceBlock);
    if (executed !== undefined)
      return {
        kind: 'done',
        transactionHash: executed.transactionHash,
        blockNumber: executed.blockNumber,
        confirmations: newest - executed.blockNumber + 1,
      };
    const nonce = this.chain.state.nonces.get(action.safe.toLowerCase());
    if (action.kind === 'create')
      return nonce === undefined ? { kind: 'open' } : { kind: 'done_earlier' };
    return nonce !== undefined && nonce > action.nonce
      ? {
          kind: 'failed',
          cause: 'superseded',
          reason: `nonce ${action.nonce} was used by another action`,
        }
      : { kind: 'open' };
  }

  /** Hands a signed action to the chain, as the relayer, or anybody who has the bytes, can. */
  broadcast(action: SignedSafeTransaction): Hex {
    const safe = action.safe.toLowerCase();
    return this.chain.send((state, emit) => {
      if (action.kind === 'create') {
        if (state.nonces.has(safe)) throw new Error('the Safe is deployed already');
        state.nonces.set(safe, 0);
        return emit({
          address: action.safe,
          topics: [hashOf('ProxyCreation'), hashOf(`created ${action.safe}`)],
          data: '0x',
        });
      }
      if (state.nonces.get(safe) !== action.nonce) throw new Error('GS026');
      state.nonces.set(safe, action.nonce + 1);
      for (const call of callsOf(action)) state.run(action.safe, call, emit);
      emit({ address: action.safe, topics: [EXECUTION_SUCCESS, action.safeTxHash], data: '0x' });
    });
  }

  #keep(action: SignedSafeTransaction): SignedSafeTransaction {
    this.signed.push(action);
    return action;
  }
}

/** What `bodyOf` wrote. */
function signedOf(body: string): SignedSafeTransaction {
  return JSON.parse(body, (name, value: unknown) =>
    name === 'valueWei' ? BigInt(String(value)) : value,
  );
}

function callsOf({
  call,
  operation,
}: Extract<SignedSafeTransaction, { kind: 'execute' }>): readonly EvmCall[] {
  if (operation === 0) return [call];
  const batch: readonly { readonly to: Address; readonly data: Hex; readonly valueWei: string }[] =
    JSON.parse(Buffer.from(call.data.slice(2), 'hex').toString());
  return batch.map(({ to, data, valueWei }) => ({ to, data, valueWei: BigInt(valueWei) }));
}
