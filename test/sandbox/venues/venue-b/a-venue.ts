import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import {
  address,
  getAddressDecoder,
  getBase58Decoder,
  getTransactionDecoder,
  getTransactionEncoder,
  signatureBytes,
  type Address,
} from '@solana/kit';
import type { VirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { TOKEN_PROGRAM, USDC_MINT } from '../../../../src/sandbox/chains/solana/addresses.ts';
import { associatedAddress } from '../../../../src/sandbox/chains/solana/associated-address.ts';
import {
  openSolanaChain,
  type Executed,
  type SolanaChain,
} from '../../../../src/sandbox/chains/solana/chain.ts';
import { createSolanaFaucet, faucetGenesis } from '../../../../src/sandbox/chains/solana/faucet.ts';
import { readTokenData } from '../../../../src/sandbox/chains/solana/token-layout.ts';
import { readWireTransaction } from '../../../../src/sandbox/chains/solana/wire-transaction.ts';
import { openRecordStore } from '../../../../src/sandbox/storage/record-store.ts';
import {
  answerCall,
  type Reply,
  type VenueRoute,
} from '../../../../src/sandbox/wire/http-server.ts';
import {
  openContractVenue,
  type ContractVenue,
  type ContractVenueParts,
} from '../../../../src/sandbox/venues/venue-b/contract-venue.ts';
import type { Listing } from '../../../../src/sandbox/venues/venue-b/model/listing.ts';
import { aModel, marketsIn } from './a-model.ts';

const SEED = 7;
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A wallet of a test. */
export interface Wallet {
  readonly address: Address;
  sign(message: Uint8Array): Uint8Array;
}

export function aWallet(name: string): Wallet {
  const privateKey: KeyObject = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, createHash('sha256').update(name).digest()]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey)
    .export({ format: 'der', type: 'spki' })
    .subarray(-32);
  return {
    address: address(getAddressDecoder().decode(publicKey)),
    sign: (message) => sign(null, Buffer.from(message), privateKey),
  };
}

/** Signs what `/order` gave. */
export function signedBy(
  wallet: Wallet,
  encoded: string,
): { readonly signature: string; readonly bytes: Uint8Array } {
  const transaction = getTransactionDecoder().decode(Buffer.from(encoded, 'base64'));
  const signature = signatureBytes(wallet.sign(new Uint8Array(transaction.messageBytes)));
  const bytes = getTransactionEncoder().encode({
    ...transaction,
    signatures: { ...transaction.signatures, [wallet.address]: signature },
  });
  return { signature: getBase58Decoder().decode(signature), bytes: new Uint8Array(bytes) };
}

/** Answers as they come, whose shapes tests check field by field. */
export type Wire = any; // oxlint-disable-line typescript/no-explicit-any

/** The venue on a chain of its own, on a stopped clock. */
export interface VenueWorld {
  readonly clock: VirtualClock;
  readonly chain: SolanaChain;
  readonly venue: ContractVenue;
  readonly user: Wallet;
  /**
   * An open market with ten contracts of Yes at 0.96, five more at 0.97, and bids of 0.95 for a
   * hundred.
   */
  readonly listing: Listing;
  readonly faults: ReturnType<typeof aModel>['shared']['faults'];
  get(
    face: 'metadata' | 'trade' | 'proof',
    target: string,
  ): { readonly status: number; readonly body: Wire };
  post(face: 'proof', target: string, body: string): Reply;
  /** Signs what `/order` gave and sends it. */
  send(transaction: string): { readonly signature: string; readonly executed: Executed };
  /** Micros of a token that the user has. */
  held(mint: Address, program?: Address): number;
  usdc(): number;
  /** The venue as its next process opens it. */
  restart(): VenueWorld;
}

export function aVenue(
  options: Partial<Pick<ContractVenueParts, 'feeScale' | 'weeklyMaintenance'>> = {},
): VenueWorld {
  const { clock, shared } = aModel({ seed: SEED });
  const chain = openSolanaChain({ clock, seed: SEED, folder: null, genesis: faucetGenesis(SEED) });
  const faucet = createSolanaFaucet(chain, SEED);
  const records: ContractVenueParts['records'] = {
    orders: openRecordStore(null, 1),
    markets: openRecordStore(null, 1),
    verified: openRecordStore(null, 1),
  };
  const user = aWallet('a user');
  faucet.giveLamports(user.address, 1_000_000_000n);
  faucet.giveUsdc(user.address, 100_000_000n);
  const open = (): VenueWorld => {
    const venue = openContractVenue({
      seed: SEED,
      shared,
      wallClock: clock,
      solana: { chain, faucet },
      records,
      proofPageUrl: () => 'http://proof.example/proof',
      feeScale: 0,
      ...options,
    });
    const listing = marketsIn(venue.model, 'active').find(({ ticker }) =>
      ticker.startsWith('KXHIGHNY'),
    );
    if (listing === undefined) throw new Error('nothing is listed');
    venue.model.script(listing, { book: { yes: { 9_500: 100 }, no: { 400: 10, 300: 5 } } });
    return worldOf({ venue, listing });
  };
  const worldOf = ({ venue, listing }: Pick<VenueWorld, 'venue' | 'listing'>): VenueWorld => {
    const ask = (
      method: string,
      routes: readonly VenueRoute[],
      target: string,
      body = '',
    ): Reply => {
      const url = new URL(target, 'http://venue');
      return answerCall(routes, {
        method,
        target,
        path: url.pathname,
        query: url.searchParams,
        header: () => '',
        body,
      });
    };
    const held = (mint: Address, program: Address): number => {
      const account = chain.account(associatedAddress(user.address, mint, program));
      const token = account === null ? null : readTokenData(account.data);
      return token?.kind === 'account' ? Number(token.amount) : 0;
    };
    return {
      clock,
      chain,
      venue,
      user,
      listing,
      faults: shared.faults,
      get(face, target) {
        const reply = ask('GET', venue.routes[face], target);
        if (reply.kind === 'json')
          return { status: reply.status, body: JSON.parse(JSON.stringify(reply.body)) };
        return {
          status: reply.kind === 'html' ? reply.status : 0,
          body: reply.kind === 'html' ? reply.body : null,
        };
      },
      post: (face, target, body) => ask('POST', venue.routes[face], target, body),
      send(encoded) {
        const { signature, bytes } = signedBy(user, encoded);
        return { signature, executed: chain.execute(readWireTransaction(bytes)) };
      },
      held: (mint, program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address) =>
        held(mint, program),
      usdc: () => held(USDC_MINT, TOKEN_PROGRAM),
      restart() {
        venue.stop();
        return open();
      },
    };
  };
  return open();
}
