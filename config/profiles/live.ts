import { AppError } from '../../src/domain/errors.ts';
import type { Environment } from '../schema.ts';
import { readFeeds } from './feeds.ts';
import { openIdIssuer, readGoogle, readIdentity, readSocial, readTelephone } from './identity.ts';
import { readIndexer } from './indexer.ts';
import { DATA_STREAMS_FEEDS, POLYGON_CHAIN, type Profile } from './profile.ts';
import { readPush } from './push.ts';
import { safeServices, venueAMoney } from './venue-a-contracts.ts';
import { venueAddresses, venueSettings } from './venues.ts';

/**
 * The real venues. Base URLs have the published defaults (feeds.md; those of a venue in its own
 * file) and can each be set; keys cannot be defaulted. Errors: `config_invalid` when a key or the
 * address of a chain's node is missing, or a credential is given in part.
 */
export function liveProfile(environment: Environment): Profile {
  const feeds = readFeeds(environment);
  if (
    environment.PREDICTD_ROLE !== 'feed' &&
    environment.PREDICTD_MASTER_KEY === undefined &&
    environment.PREDICTD_MASTER_KEY_FILE === undefined
  )
    throw missing(environment, 'PREDICTD_MASTER_KEY');
  if (feeds === null && environment.PREDICTD_INFERENCE_KEY === undefined)
    throw missing(environment, 'PREDICTD_INFERENCE_KEY');
  const credentials = {
    inferenceKey: environment.PREDICTD_INFERENCE_KEY ?? '',
    dataStreams: dataStreams(environment),
    assessor: assessor(environment),
    relayer: relayer(environment),
    routerKey: environment.PREDICTD_ROUTER_KEY ?? null,
    geckoKey: environment.PREDICTD_GECKO_KEY ?? null,
    indexer: readIndexer(environment),
    pinningKey: environment.PREDICTD_PINNING_KEY ?? null,
  };
  // Public nodes limit hard: money is not moved by the answer of one that was not chosen (web3.md
  // section 1).
  if (environment.PREDICTD_POLYGON_RPC_URL === undefined)
    throw missing(environment, 'PREDICTD_POLYGON_RPC_URL');
  if (environment.PREDICTD_BASE_RPC_URL === undefined)
    throw missing(environment, 'PREDICTD_BASE_RPC_URL');
  if (environment.PREDICTD_SOLANA_RPC_URL === undefined)
    throw missing(environment, 'PREDICTD_SOLANA_RPC_URL');
  return {
    name: 'live',
    world: null,
    endpoints: {
      venues: venueAddresses(environment),
      inference: environment.PREDICTD_INFERENCE_URL ?? 'https://api.allora.network/v2',
      dataStreamsRest: environment.PREDICTD_DATA_STREAMS_URL ?? 'https://api.dataengine.chain.link',
      dataStreamsSocket:
        environment.PREDICTD_DATA_STREAMS_SOCKET_URL ?? 'wss://ws.dataengine.chain.link',
      exchangeRest: environment.PREDICTD_EXCHANGE_URL ?? 'https://data-api.binance.vision',
      exchangeSocket:
        environment.PREDICTD_EXCHANGE_SOCKET_URL ?? 'wss://data-stream.binance.vision',
      polygonRpc: environment.PREDICTD_POLYGON_RPC_URL,
      baseRpc: environment.PREDICTD_BASE_RPC_URL,
      ethereumRpc: environment.PREDICTD_ETHEREUM_RPC_URL ?? null,
      bscRpc: environment.PREDICTD_BSC_RPC_URL ?? null,
      arbitrumRpc: environment.PREDICTD_ARBITRUM_RPC_URL ?? null,
      solanaRpc: environment.PREDICTD_SOLANA_RPC_URL,
      openId: openIdIssuer(environment),
      assessor: environment.PREDICTD_ASSESSOR_URL ?? null,
      socialRpc: environment.PREDICTD_SOCIAL_RPC_URL ?? null,
      socialRelay: environment.PREDICTD_SOCIAL_RELAY_URL ?? 'https://relay.farcaster.xyz',
      push: null,
      geckoTerminal:
        environment.PREDICTD_GECKO_URL ??
        (environment.PREDICTD_GECKO_KEY === undefined
          ? 'https://api.geckoterminal.com/api/v2'
          : 'https://api.coingecko.com/api/v3/onchain'),
      dexScreener: environment.PREDICTD_DEXSCREENER_URL ?? 'https://api.dexscreener.com',
      router: environment.PREDICTD_ROUTER_URL ?? 'https://li.quest/v1',
      pinning: environment.PREDICTD_PINNING_URL ?? 'https://api.pinata.cloud',
      control: null,
    },
    credentials,
    feeds,
    chain: POLYGON_CHAIN,
    money: venueAMoney(environment),
    venues: venueSettings(environment, { runs: 'live' }),
    safeServices,
    dataStreamsFeeds: DATA_STREAMS_FEEDS,
    clockScale: 1,
    demoUser: false,
    grantUsdcMicros: 0,
    push: readPush(environment, { contact: null }),
    identity: readIdentity(environment, {
      codes: readTelephone(environment) ?? 'none',
      google: readGoogle(environment),
      social: readSocial(environment),
    }),
  };
}

function dataStreams(environment: Environment): { key: string; secret: string } | null {
  const { PREDICTD_DATA_STREAMS_KEY: key, PREDICTD_DATA_STREAMS_SECRET: secret } = environment;
  if (key === undefined && secret === undefined) return null;
  if (key === undefined) throw missing(environment, 'PREDICTD_DATA_STREAMS_KEY');
  if (secret === undefined) throw missing(environment, 'PREDICTD_DATA_STREAMS_SECRET');
  return { key, secret };
}

/** The risk assessor is off unless all of it is set. */
function assessor(environment: Environment): { key: string; model: string } | null {
  const {
    PREDICTD_ASSESSOR_URL: url,
    PREDICTD_ASSESSOR_KEY: key,
    PREDICTD_ASSESSOR_MODEL: model,
  } = environment;
  if (url === undefined && key === undefined && model === undefined) return null;
  if (url === undefined) throw missing(environment, 'PREDICTD_ASSESSOR_URL');
  if (key === undefined) throw missing(environment, 'PREDICTD_ASSESSOR_KEY');
  if (model === undefined) throw missing(environment, 'PREDICTD_ASSESSOR_MODEL');
  return { key, model };
}

function relayer(
  environment: Environment,
): { key: string; secret: string; passphrase: string } | null {
  const {
    PREDICTD_RELAYER_KEY: key,
    PREDICTD_RELAYER_SECRET: secret,
    PREDICTD_RELAYER_PASSPHRASE: passphrase,
  } = environment;
  if (key === undefined && secret === undefined && passphrase === undefined) return null;
  if (key === undefined) throw missing(environment, 'PREDICTD_RELAYER_KEY');
  if (secret === undefined) throw missing(environment, 'PREDICTD_RELAYER_SECRET');
  if (passphrase === undefined) throw missing(environment, 'PREDICTD_RELAYER_PASSPHRASE');
  return { key, secret, passphrase };
}

function missing({ PREDICTD_PROFILE }: Environment, name: keyof Environment): AppError {
  return new AppError(
    'config_invalid',
    `the ${PREDICTD_PROFILE} profile needs ${name}; set it and start again.`,
  );
}
