import { createHash, createPrivateKey, sign } from 'node:crypto';
import { address, type Address } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { venueSettings } from '../../../config/profiles/venues.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { HttpCalls } from '../../../src/adapters/wire/http-calls.ts';
import { loadKeccak } from '../../../src/adapters/wire/keccak.ts';
import type { Transport } from '../../../src/adapters/wire/transport.ts';
import { assert } from '../../../src/domain/errors.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import { TICKS_PER_USD, priceTicks, shareMicros } from '../../../src/domain/units.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import type { FaultBoard } from '../../../src/sandbox/faults.ts';
import { createSharedModel } from '../../../src/sandbox/shared-model.ts';
import {
  createDirectVenue,
  type DirectVenue,
} from '../../../src/sandbox/venues/venue-b/direct/direct-venue.ts';
import type { Listing } from '../../../src/sandbox/venues/venue-b/model/listing.ts';
import { createWalletAddresses } from '../../../src/adapters/safe-relayer/derive.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { createSolanaCalls } from '../../../src/adapters/solana/calls.ts';
import { chainClients, solanaClients } from '../../../src/app/chains.ts';
import { lateTransactions } from '../../../src/app/late-transactions.ts';
import { venueB } from '../../../src/venues/venue-b/venue.ts';
import { serveVenueB } from '../fixtures/served-venue-b.ts';
import { OTHER_KEY } from '../../conformance/venue-a-fixture.ts';
import type { OtherOrder, VenueWorld } from '../../contracts/venue/fixture.ts';
import { aMarket } from '../builders.ts';
import { STRANGER, transferByHand } from '../hand-transfer.ts';
import { vaultOf } from '../known-keys.ts';
import { createKeptMetrics } from '../quiet.ts';

/** A Wednesday, seven minutes into a quarter of an hour. */
const START_MS = Date.UTC(2026, 10, 25, 17, 7);
const SEED = 7;
const USER = asId<UserId>('usr_ada');

/** Longer than 32 slots. */
const FINAL_AFTER_MS = 15_000;

/** DER before the 32 bytes of an Ed25519 seed (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

type Accident = 'unanswered' | 'lost';

/** What only this venue's world can do. */
export interface VenueBWorld extends VenueWorld {
  /** What goes wrong at the venue and on its chain, by name. */
  readonly faults: FaultBoard;
  /** The venue with its chain, and the market as it lists it. */
  readonly direct: Omit<DirectVenue, 'close'>;
  readonly listing: Listing;
  /** The user's, on that chain. */
  readonly wallet: Address;
  walletOf(userId: UserId): Address;
  /** Counts of the venue's adapter, over all processes. */
  readonly metrics: ReturnType<typeof createKeptMetrics>;
  /** From the next process on, the service is where its operator may sell nothing. */
  moveTo(region: string): void;
  /**
   * Another wallet sends the user USDC, micros, past the service; gives the transaction's
   * signature.
   */
  give(micros: number): string;
  /** The user sends a token, or with null USDC, to a stranger with a key exported; as above. */
  takeOut(tokenId: string | null, micros: number): string;
  /** The stranger sends it back; as above. */
  sendBack(tokenId: string, micros: number): string;
}

/** How such a world is made. */
export interface VenueBWorldOptions {
  /** The market that is traded, the first such one that is open: a daily high unless stated. */
  readonly isMarket?: (listing: Listing) => boolean;
  /** What the user begins with: a thousand USDC and a SOL unless stated. */
  readonly usdcMicros?: bigint;
  readonly lamports?: bigint;
  /** False for a user whom the venue does not know. */
  readonly isVerified?: boolean;
  /** Pays the network for users; absent: each wallet pays its own. */
  readonly sponsor?: { readonly key: string; readonly dailyLamports?: number };
  /** Users beside the first, who begin as it does. */
  readonly others?: readonly UserId[];
  /** True puts venue and chain behind servers: the clock must be in motion for any to answer. */
  readonly overSockets?: boolean;
}

/**
 * venue_b's row before its model in this process and a chain of its own, on a virtual clock.
 */
export async function createVenueBWorld({
  isMarket = ({ ticker }) => ticker.startsWith('KXHIGHNY'),
  usdcMicros = 1_000_000_000n,
  lamports = 1_000_000_000n,
  isVerified = true,
  others = [],
  overSockets = false,
  sponsor,
}: VenueBWorldOptions = {}): Promise<VenueBWorld> {
  const clock = createVirtualClock(START_MS);
  const prices = createPriceProcess(SEED, startingPrices(START_MS / 1_000 - 36_000));
  const shared = createSharedModel({ clock, seed: SEED, prices, faults: [] });
  const direct = overSockets
    ? await serveVenueB(SEED, shared)
    : createDirectVenue({ seed: SEED, shared, latencyMs: 2 });
  const { model, rails, verified } = direct.venue;
  const listing = model
    .events()
    .flatMap(({ markets }) => markets)
    .find((one) => isMarket(one) && model.state(one).status === 'active');
  assert(listing !== undefined, 'a market is open');
  model.script(listing, { book: { yes: {}, no: {} } });
  const keccak = await loadKeccak();
  const vault = await vaultOf(
    keccak,
    [USER, ...others].map((userId) => ({ userId, privateKey: keyOf(userId) })),
  );
  const walletOf = (userId: UserId): Address => address(vault.solanaAddressOf(userId));
  for (const userId of [USER, ...others]) {
    if (lamports > 0n) direct.faucet.giveLamports(walletOf(userId), lamports);
    direct.faucet.giveUsdc(walletOf(userId), usdcMicros);
    if (isVerified) verified.add(walletOf(userId));
  }
  const wallet = walletOf(USER);
  const metrics = createKeptMetrics();
  // What is given is booked once it is final.
  await clock.advance(FINAL_AFTER_MS);
  const { yes, no } = rails.of(listing).mints;
  const tokens = [yes.address as string, no.address as string] as const;
  const accidents: Accident[] = [];
  let region: string | undefined;
  const store = createMemoryStore();

  /** Another trader rests an order: a bid for one outcome is an offer of the other. */
  function rest({ tokenId, side, price, shares }: OtherOrder): void {
    assert(listing !== undefined, 'the market of this world');
    const book = model.book(listing);
    const levels = {
      yes: Object.fromEntries(book?.yes ?? []),
      no: Object.fromEntries(book?.no ?? []),
    };
    const isYes = (tokenId === tokens[0]) === (side === 'buy');
    const at = side === 'buy' ? price : TICKS_PER_USD - price;
    const outcome = isYes ? levels.yes : levels.no;
    outcome[at] = (outcome[at] ?? 0) + shares;
    model.script(listing, { book: levels });
  }
  const owner = new PublicKey(wallet);
  const stranger = STRANGER.publicKey;
  direct.faucet.giveLamports(address(stranger.toBase58()), 1_000_000_000n);
  return {
    row: venueB,
    faults: shared.faults,
    direct,
    listing,
    wallet,
    walletOf,
    metrics,
    moveTo(next) {
      region = next;
    },
    give(micros) {
      const given = direct.faucet.giveUsdc(wallet, BigInt(micros));
      assert(given.kind === 'landed', 'the faucet gives');
      return given.transaction.signature;
    },
    takeOut: (tokenId, micros) =>
      transferByHand(direct.chain, {
        from: owner,
        to: stranger,
        mint: tokenId ?? direct.urls.usdcMint,
        isOutcome: tokenId !== null,
        micros,
        sign: (message) => vault.signSolana(USER, message),
      }),
    sendBack: (tokenId, micros) =>
      transferByHand(direct.chain, {
        from: stranger,
        to: owner,
        mint: tokenId,
        isOutcome: true,
        micros,
        sign(message) {
          const signer = createPrivateKey({
            key: Buffer.concat([PKCS8_HEAD, STRANGER.secretKey.subarray(0, 32)]),
            format: 'der',
            type: 'pkcs8',
          });
          return sign(null, message, signer);
        },
      }),
    clock,
    userId: USER,
    patienceMs: 150_000,
    market: aMarket(1, {
      venue: venueB.id,
      marketId: asId(listing.ticker),
      slug: listing.ticker,
      outcomes: [
        { tokenId: asId(tokens[0]), label: 'Yes' },
        { tokenId: asId(tokens[1]), label: 'No' },
      ],
      tickSize: priceTicks(100),
      minSize: shareMicros(1_000_000),
      fee: null,
    }),
    quote: rest,
    take(order) {
      // Another trader is faster than an order that has its quote: the venue gives all of it back.
      if (order.side === 'buy') shared.faults.arm('reverted-fill', { times: 1 });
      // The service keeps what rests, so whoever takes it is a trader it meets in the book.
      else rest(order);
    },
    garbleFrame: () => shared.faults.arm('unreadable-frame', { times: 1 }),
    befall: (accident) => void accidents.push(accident),
    failTrade: () => shared.faults.arm('solana-fork', { times: 1 }),
    resolve(payoutTicks) {
      model.script(listing, { result: payoutTicks[0] > 0 ? 'yes' : 'no' });
    },
    async open(ownClock, life) {
      const transport = withAccidents(direct.transport, accidents);
      const calls = createSolanaCalls({
        rpcUrl: direct.urls.rpcUrl,
        metrics,
        open: transport.calls,
      });
      const venue = await venueB.open(
        {
          store,
          vault,
          keccak,
          wallets: createWalletAddresses(keccak, POLYGON_CHAIN.wallets),
          random: createSeededRandom(life),
          transport,
          chain: chainClients({ solana: solanaClients(calls, metrics) }),
          transactions: lateTransactions(),
          clock: ownClock,
          wallClock: ownClock,
          metrics,
        },
        settingsAt(direct.urls, sponsor, region),
      );
      return {
        ...venue,
        async close() {
          await Promise.all([venue.close(), calls.close()]);
        },
      };
    },
    close: () => void direct.close(),
  };
}

const NO_ANSWER = new Promise<never>(() => undefined);

/** A key of its own for each user; worth nothing anywhere. */
function keyOf(userId: UserId): string {
  return userId === USER ? OTHER_KEY : `0x${createHash('sha256').update(userId).digest('hex')}`;
}

function settingsAt(
  { usdcMint, ...urls }: ReturnType<typeof createDirectVenue>['urls'],
  sponsor: VenueBWorldOptions['sponsor'],
  region: string | undefined,
) {
  const settings = venueSettings(
    {
      PREDICTD_VENUE_B_REGION: region,
      PREDICTD_VENUE_B_RESTRICTED_REGIONS: region === undefined ? [] : ['XX', region],
      PREDICTD_VENUE_B_SPONSOR_KEY: sponsor?.key,
      ...(sponsor?.dailyLamports === undefined
        ? {}
        : { PREDICTD_VENUE_B_SPONSOR_DAILY_LAMPORTS: sponsor.dailyLamports }),
    },
    { runs: 'test' },
  )({ venues: { venue_b: urls } });
  return { ...Object(settings['venue_b']), usdcMint };
}

/**
 * The way to the venue and its chain, on which bytes are lost, or the answer to them. Who has
 * closed it is gone, and hears nothing more.
 */
function withAccidents(transport: Transport, accidents: Accident[]): Transport {
  return {
    ...transport,
    calls(options): HttpCalls {
      const calls = transport.calls(options);
      let isClosed = false;
      return {
        close() {
          isClosed = true;
          return calls.close();
        },
        async send(call) {
          if (isClosed) return NO_ANSWER;
          const accident = String(call.body ?? '').includes('"sendTransaction"')
            ? accidents.shift()
            : undefined;
          if (accident === undefined) return calls.send(call);
          if (accident === 'unanswered') await calls.send(call);
          return { kind: 'lost', cause: 'an accident' };
        },
      };
    },
  };
}
