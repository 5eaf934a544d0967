import type { World } from '../../../src/sandbox/world.ts';
import { WORLD_CREDENTIALS } from '../../support/worlds/small-world.ts';
import type { Settings } from './daemon.ts';

/**
 * Settings of a daemon whose outside is this world, but for its profile, its data and what sends
 * its codes.
 */
export function worldSettings({ urls }: World): Settings {
  return {
    PREDICTD_MASTER_KEY: '5c'.repeat(32),
    PREDICTD_INFERENCE_KEY: WORLD_CREDENTIALS.inferenceKey,
    PREDICTD_DATA_STREAMS_KEY: WORLD_CREDENTIALS.dataStreams.key,
    PREDICTD_DATA_STREAMS_SECRET: WORLD_CREDENTIALS.dataStreams.secret,
    PREDICTD_CLOB_URL: urls.venues.venue_a.clobRest,
    PREDICTD_CLOB_MARKET_SOCKET_URL: urls.venues.venue_a.clobMarketSocket,
    PREDICTD_CLOB_USER_SOCKET_URL: urls.venues.venue_a.clobUserSocket,
    PREDICTD_GAMMA_URL: urls.venues.venue_a.gamma,
    PREDICTD_DATA_API_URL: urls.venues.venue_a.dataApi,
    PREDICTD_VENUE_SITE_URL: urls.venues.venue_a.site,
    PREDICTD_RTDS_URL: urls.venues.venue_a.rtds,
    PREDICTD_INFERENCE_URL: urls.inference,
    PREDICTD_DATA_STREAMS_URL: urls.dataStreamsRest,
    PREDICTD_DATA_STREAMS_SOCKET_URL: urls.dataStreamsSocket,
    PREDICTD_EXCHANGE_URL: urls.exchangeRest,
    PREDICTD_EXCHANGE_SOCKET_URL: urls.exchangeSocket,
    PREDICTD_POLYGON_RPC_URL: urls.chains?.polygonRpc ?? '',
    PREDICTD_BASE_RPC_URL: urls.chains?.baseRpc ?? '',
    PREDICTD_SOLANA_RPC_URL: urls.solanaRpc,
    PREDICTD_BRIDGE_URL: urls.venues.venue_a.bridge ?? '',
    PREDICTD_RELAYER_URL: urls.venues.venue_a.relayer ?? '',
    PREDICTD_RELAYER_KEY: WORLD_CREDENTIALS.relayer.key,
    PREDICTD_RELAYER_SECRET: WORLD_CREDENTIALS.relayer.secret,
    PREDICTD_RELAYER_PASSPHRASE: WORLD_CREDENTIALS.relayer.passphrase,
  };
}

/** No chain of venue_a's is part of a world without chains. */
const NOWHERE = 'http://127.0.0.1:9';

/** Settings of a daemon that trades at venue_b, in a world without chains of other venues. */
export function contractSettings(world: World): Settings {
  const { metadataUrl, metadataSocketUrl, tradeUrl, proofUrl, proofPageUrl } =
    world.urls.venues.venue_b;
  return {
    ...worldSettings(world),
    PREDICTD_PROFILE: 'test',
    PREDICTD_VENUE_B_METADATA_URL: metadataUrl,
    PREDICTD_VENUE_B_METADATA_SOCKET_URL: metadataSocketUrl,
    PREDICTD_VENUE_B_TRADE_URL: tradeUrl,
    PREDICTD_VENUE_B_PROOF_URL: proofUrl,
    PREDICTD_VENUE_B_PROOF_PAGE_URL: proofPageUrl,
    PREDICTD_POLYGON_RPC_URL: NOWHERE,
    PREDICTD_BASE_RPC_URL: NOWHERE,
    PREDICTD_BRIDGE_URL: NOWHERE,
    PREDICTD_RELAYER_URL: NOWHERE,
  };
}

/** The market of venue_b that is open for longest, with offers at half a dollar. */
export function quotedMarket(world: World): string {
  const { model } = world.venues.venue_b.venue;
  const [listing] = model
    .events()
    .flatMap(({ markets }) => markets)
    .filter((one) => model.state(one).status === 'active')
    .sort((a, b) => b.closeMs - a.closeMs);
  if (listing === undefined) throw new Error('a market is open');
  model.script(listing, { book: { yes: { 4_000: 1_000 }, no: { 5_000: 1_000 } } });
  return listing.ticker;
}
