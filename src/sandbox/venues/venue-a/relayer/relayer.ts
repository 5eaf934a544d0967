import { keccak256, stringToHex, type Hex } from 'viem';
import { RELAYER_MODEL } from '../../../../../config/limits/sandbox-chains.ts';
import type { Runtime } from '../../../../ports/runtime.ts';
import { SAFE_ABI } from '../../../chains/evm/contract-abis.ts';
import { chainAccount } from '../../../chains/evm/chain-keys.ts';
import { isSafeStanding, placeSafeProxy, safeOf, safeSetup } from '../wallets/place-safe.ts';
import type { FaultBoard } from '../../../faults.ts';
import {
  isInFlight,
  relayRow,
  type RelayAction,
  type RelayProgress,
  type RelayRow,
} from './relayer-actions.ts';
import { uuidFrom } from '../../../engine/settlement.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import { AccountQueue, type QueuedTransaction } from '../../../chains/evm/account-queue.ts';
import { builderProof, type FindBuilder } from './relayer-auth.ts';
import { readSubmission, type Submission } from './relayer-submission.ts';
import { readAddress } from '../clob/venue-auth.ts';
import {
  failed,
  ok,
  serveHttp,
  readJson,
  type Call,
  type Listening,
  type Reply,
} from '../../../wire/http-server.ts';
import type { DeployedChain } from '../../../chains/evm/deploy-chain.ts';

export interface RelayerOptions extends Pick<Runtime, 'clock' | 'random'> {
  /** The chain the Safes live on; its relayer account has no other user. */
  readonly chain: DeployedChain;
  readonly findBuilder: FindBuilder;
  readonly faults: FaultBoard;
  /** What the relayer remembers over a stop: actions, and the queue of its account. */
  readonly actions: RecordStore<RelayAction>;
  readonly transactions: RecordStore<QueuedTransaction>;
  readonly port?: number;
}

/** A running relayer. */
export interface Relayer extends Listening {
  /** Goes once through what is open, at once. */
  work(): Promise<void>;
}

/**
 * Serves the venue's relayer for Safes on the local chain (venue_a.md section 14.2): one queue for
 * its account, one action in flight for each wallet. Deposit wallets and proxies are refused: there
 * is no code of theirs here.
 */
export async function startRelayer(options: RelayerOptions): Promise<Relayer> {
  const service = new RelayService(options);
  const { chain, clock } = options;
  const server = await serveHttp({
    clock,
    ...(options.port === undefined ? {} : { port: options.port }),
    routes: [
      { method: 'POST', path: '/submit', run: (call) => service.submit(call) },
      {
        method: 'GET',
        path: '/transaction',
        run: ({ query }) => ok(service.rowsOf(query.get('id') ?? '').map(wireRow)),
      },
      { method: 'GET', path: '/transactions', run: (call) => service.list(call) },
      { method: 'GET', path: '/nonce', run: ({ query }) => nonce(chain, query) },
      { method: 'GET', path: '/deployed', run: ({ query }) => deployed(chain, query) },
      {
        method: 'GET',
        path: '/relay-payload',
        run: () =>
          failed(
            400,
            'relay payloads belong to proxy wallets, which are not supported: this relayer acts for Safes',
          ),
      },
      {
        method: 'GET',
        path: '/v1/account/transactions/params',
        run: ({ query }) => nonce(chain, query, service.address),
      },
      {
        method: 'GET',
        path: '/v1/account/transactions/:id',
        run: ({ params }) => service.status(params['id'] ?? ''),
      },
    ],
  });
  return {
    url: server.url,
    work: () => service.work(),
    async close() {
      await server.close();
      await service.close();
    },
  };
}

/** What the relayer has taken in, and what becomes of it. */
class RelayService {
  readonly #options: RelayerOptions;
  readonly #queue: AccountQueue;
  /** The newest action of each wallet, copies left out. */
  readonly #newest = new Map<Hex, string>();

  constructor(options: RelayerOptions) {
    this.#options = options;
    for (const { id, safe, copyOf } of options.actions.all())
      if (copyOf === null) this.#newest.set(safe, id);
    this.#queue = new AccountQueue({
      client: options.chain.node.client,
      account: chainAccount(options.chain.seed, 'relayer'),
      records: options.transactions,
      clock: options.clock,
      prepare: (transaction) => this.#prepare(transaction.id),
    });
  }

  get address(): Hex {
    return this.#queue.address;
  }

  work(): Promise<void> {
    return this.#queue.work();
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#options.actions.close();
  }

  async submit(call: Call): Promise<Reply> {
    const { findBuilder, clock, faults } = this.#options;
    const builder = builderProof(call, findBuilder, clock);
    if (builder === null) return failed(401, 'invalid authorization');
    const submission = readSubmission(readJson(call.body));
    if ('error' in submission) return failed(400, submission.error);
    const { safe, from } = submission;
    const subject = { owner: from, address: safe, path: call.path };
    if (faults.take('relayer-busy', subject) !== null || this.#isBusy(safe)) return busy(safe);
    const refusal = await this.#refusalOf(submission);
    if (refusal !== null) return refusal;
    // Another submission may have come in while the chain was asked.
    if (this.#isBusy(safe)) return busy(safe);
    const action = this.#take(builder, submission);
    if (faults.take('relayer-lost', subject) !== null) return { kind: 'cut' };
    const reply = ok({
      transactionID: action.id,
      state: 'STATE_NEW',
      transactionHash: action.foreignHash ?? '',
    });
    const late = faults.take('relayer-late', subject);
    return late === null ? reply : { ...reply, delayMs: late.delayOr(LATE_MS) };
  }

  /** Rows about an action; a copy made by a fault comes first. */
  rowsOf(id: string): readonly RelayRow[] {
    const { actions } = this.#options;
    const action = actions.get(id);
    if (action === null) return [];
    const copy = actions.get(copyId(id));
    return [...(copy === null ? [] : [copy]), action].map((one) =>
      relayRow(one, this.#progressOf(one.id)),
    );
  }

  list(call: Call): Reply {
    const builder = builderProof(call, this.#options.findBuilder, this.#options.clock);
    if (builder === null) return failed(401, 'invalid authorization');
    const own = this.#options.actions
      .all()
      .filter((action) => action.builder === builder)
      .slice(-RELAYER_MODEL.listedMaximum)
      .reverse();
    return ok(own.map((action) => wireRow(relayRow(action, this.#progressOf(action.id)))));
  }

  status(id: string): Reply {
    const action = this.#options.actions.get(id);
    if (action === null) return failed(404, `there is no transaction ${id.slice(0, 64)}`);
    const { transactionHash, state } = relayRow(action, this.#progressOf(id));
    return ok({
      transaction_id: id,
      transaction_hash: transactionHash,
      state,
      error_msg: this.#queue.get(id)?.reason ?? '',
    });
  }

  #isBusy(safe: Hex): boolean {
    const id = this.#newest.get(safe);
    return id !== undefined && isInFlight(this.#progressOf(id));
  }

  /**
   * What the chain says against a submission; null when it says nothing. Errors: those of the node.
   */
  async #refusalOf(submission: Submission): Promise<Reply | null> {
    const { chain } = this.#options;
    const { safe } = submission;
    const isStanding = await isSafeStanding(chain, safe);
    if (submission.type === 'SAFE-CREATE')
      return isStanding ? failed(400, `safe ${safe} is already deployed`) : null;
    if (!isStanding) return failed(400, `safe ${safe} is not deployed`);
    const onChain = await nonceOf(chain, safe);
    return onChain === submission.nonce
      ? null
      : failed(400, `batch nonce ${submission.nonce} does not match on-chain nonce ${onChain}`);
  }

  #take(builder: string, submission: Submission): RelayAction {
    const { actions, random, clock, faults, chain } = this.#options;
    const { type, from, to, safe, data } = submission;
    const subject = { owner: from, address: safe, path: '/submit' };
    const id = uuidFrom(random);
    const action: RelayAction = {
      id,
      builder,
      type,
      from,
      to,
      safe,
      data,
      createdAtMs: clock.nowMs(),
      copyOf: null,
      nonce: type === 'SAFE' ? String(submission.nonce) : '',
      metadata: type === 'SAFE' ? submission.metadata : '',
      foreignHash:
        faults.take('relayer-foreign-hash', subject) === null
          ? null
          : keccak256(stringToHex(`foreign ${id}`)),
    };
    const call =
      type === 'SAFE' ? { to: safe, data: submission.execution } : safeSetup(chain, from);
    // The action first: a transaction without one would have no owner to report to.
    actions.put(id, action);
    this.#queue.enqueue(id, call);
    this.#newest.set(safe, id);
    if (faults.take('relayer-doubled', subject) !== null) {
      actions.put(copyId(id), { ...action, id: copyId(id), copyOf: id });
      this.#queue.enqueue(copyId(id), { ...call, isForced: true });
    }
    return action;
  }

  async #prepare(id: string): Promise<'ready' | 'wait'> {
    const { actions, faults, chain } = this.#options;
    const action = actions.get(id);
    if (action === null) return 'ready';
    if (faults.isArmed('relayer-stuck', { owner: action.from, address: action.safe }))
      return 'wait';
    if (action.type === 'SAFE-CREATE') await placeSafeProxy(chain, action.from);
    return 'ready';
  }

  #progressOf(id: string): RelayProgress | null {
    const known = this.#queue.get(id);
    return known === null
      ? null
      : {
          state: known.state,
          hash: known.signed?.hash ?? null,
          isFinal: this.#queue.isFinal(known),
          updatedAtMs: known.updatedAtMs,
        };
  }
}

/** Longer than a client waits for an answer to a write. */
const LATE_MS = 12_000;

function copyId(id: string): string {
  return `${id}-copy`;
}

/** The exact texts clients search for (venue_a.md section 14.2). */
function busy(safe: Hex): Reply {
  return failed(400, `wallet busy: wallet ${safe} already has an active action`);
}

async function nonce(chain: DeployedChain, query: URLSearchParams, relayer?: Hex): Promise<Reply> {
  const owner = readAddress(query.get('address') ?? '');
  if (owner === null) return failed(400, 'address is not an address');
  const type = query.get('type') ?? 'SAFE';
  if (type !== 'SAFE')
    return failed(
      400,
      `wallet type ${type.slice(0, 40)} is not supported: this relayer acts for Safes`,
    );
  const safe = safeOf(owner as unknown as Hex); // an Address is checksummed 0x hex
  const next = String((await isSafeStanding(chain, safe)) ? await nonceOf(chain, safe) : 0n);
  return ok(relayer === undefined ? { nonce: next } : { address: relayer, nonce: next });
}

async function deployed(chain: DeployedChain, query: URLSearchParams): Promise<Reply> {
  const wallet = readAddress(query.get('address') ?? '');
  if (wallet === null) return failed(400, 'address is not an address');
  // No deposit wallet was ever deployed here.
  if (query.get('type') === 'WALLET') return ok({ deployed: false });
  // an Address is checksummed 0x hex
  return ok({ deployed: await isSafeStanding(chain, wallet as unknown as Hex) });
}

function nonceOf(chain: DeployedChain, safe: Hex): Promise<bigint> {
  return chain.node.client.readContract({ address: safe, abi: SAFE_ABI, functionName: 'nonce' });
}

function wireRow({ createdAtMs, updatedAtMs, ...row }: RelayRow): unknown {
  return {
    ...row,
    createdAt: new Date(createdAtMs).toISOString(),
    updatedAt: new Date(updatedAtMs).toISOString(),
  };
}
