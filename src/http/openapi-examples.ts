import type { SharedSchemas } from './openapi-schemas.ts';
import type { VenueApi } from './venue-api.ts';

const TRANSACTION = '0x9e8b1c6d2f4a7e3b5c0d9f8e7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b';
const EVM_WALLET = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const SAFE = '0x75F00B003FBBBA193FABEB06284c3187a4C1232E';
const SOLANA_WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const HASH = '5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5';
const AT_MS = 1_785_577_200_000;

/** What a field of a name usually holds, where its schema does not say so itself. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  // Whole requests: their fields depend on each other, and a schema that reads text shows none.
  ApiKeyRequest: {
    name: 'my assistant',
    scopes: ['read', 'trade'],
    maxOrderSize: '25',
    maxPerDay: '100',
  },
  QuoteRequest: {
    fromChain: 'POLYGON',
    toChain: 'BASE',
    sellTokenTicker: 'USDC',
    buyTokenTicker: 'ETH',
    amount: '25',
    walletType: 'EVM',
  },
  TransferRequest: { chain: 'SOLANA', token: 'USDC', amount: '25', to: SOLANA_WALLET },
  WithdrawalRequest: { amount: '25' },
  id: 'int_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5',
  clientOrderId: 'client-7f3a',
  revokedAtMs: null,
  closedAtMs: null,
  userId: 'usr_01j9zq4t8xg6q2w5e7r9t1y3u5',
  username: 'ada',
  phone: '+1•••••••671',
  shown: 'ada@example.com',
  keyId: 'key_01j9zq4t8xg6q2w5e7r9t1y3u5',
  prefix: 'pk_3fk9a2bq',
  key: 'pk_3fk9a2bqT7cX5vN8mZ1rK4wY6uJ0sDhG',
  withdrawalId: 'txn_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5',
  transferId: 'txn_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5',
  depositId: 'dep_01j9zq4t8xg6q2w5e7r9t1y3u5',
  decisionId: 'dec_01j9zq4t8xg6q2w5e7r9t1y3u5',
  challengeId: 'otp_01j9zq4t8xg6q2w5e7r9t1y3u5',
  requestId: 'req_a1b2c3d4e5f6000001',
  upTo: 'ntf_42',
  transactionHash: TRANSACTION,
  hash: HASH,
  previousHash: HASH,
  signature: `0x${'1b'.repeat(65)}`,
  privateKey: `0x${'…'}`,
  evm: EVM_WALLET,
  safe: SAFE,
  solana: SOLANA_WALLET,
  to: EVM_WALLET,
  address: EVM_WALLET,
  walletAddress: EVM_WALLET,
  trader: EVM_WALLET,
  tokenAddress: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  accessToken: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c3JfMDFqOSJ9.c2ln',
  refreshToken: 'rt_9fK2mQ7x',
  visit: 'vis_8Zt1qPq7Rk3vB2nW9mX4cL6jY5hT1gD0sFaUeIoKzQw',
  state: 'k3v9',
  nonce: 'k3v9Qw1z',
  domain: 'app.example.com',
  uri: 'https://app.example.com/sign-in',
  url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=…',
  returnedTo: 'https://app.example.com/back?code=…&state=k3v9',
  code: '493817',
  message: 'above 0 and below 1',
  title: 'BTC Up or Down, 10:20 to 10:25',
  question: 'Will BTC end the round at or above its price at the beginning?',
  description: 'Resolves Up when the price at the end is at or above the price at the beginning.',
  outcome: 'Up',
  outcomeLabel: 'Up',
  label: 'Up',
  asset: 'BTC',
  minutes: 5,
  recurrence: '5m',
  host: 'fcm.googleapis.com',
  endpoint: 'https://fcm.googleapis.com/fcm/send/cX9aPq7Rk3v:APA91bE8fK2mQ7xZ1rK4wY6uJ0sDhG',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  publicKey:
    'BDd3_hVL9fZi9Ybo2UUzA284WG5FZR30_95YeZJsiApwXKpNcF1rRPF3foIiBHXRdJI2Qhumhf6_LFTeZaNndIo',
  symbol: 'USDC',
  name: 'trading bot',
  token: 'USDC',
  chain: 'POLYGON',
  chainId: '137',
  explorerUrl: 'https://polygonscan.com',
  decimals: 6,
  amountRaw: '25000000',
  balanceRaw: '25000000',
  imageUrl: 'https://example.com/btc.png',
  iconUrl: 'https://example.com/btc.png',
  body: 'Bought 10.63 shares of Up at 0.47',
  reason: 'The signal is weak.',
  strategy: 'up_down',
  value: '0.74',
  threshold: '0.70',
  passed: true,
  version: '0.1.0',
  profile: 'sandbox',
  openapi: '3.1.1',
  jsonrpc: '2.0',
  method: 'getSlot',
  result: 312_044_170,
  detail: 'price: above 0 and below 1',
  path: '/price',
  type: '/errors/price_out_of_range',
  status: 422,
  amount: '25',
  amountUsdc: '25',
  price: '0.47',
  size: '10.63',
  shares: '10.63',
  minPositionSize: '1',
  avgPositionSize: '5',
  maxPositionSize: '10',
  nextCursor: 'q0XcVZt1PqA.YWZ0ZXI6aW50XzAx',
  ageMs: 120,
  limitMs: 5_000,
  limit: 50,
  cursor: 'q0XcVZt1PqA.YWZ0ZXI6aW50XzAx',
};

/** What decimals of a name usually are: their schema shows one number for all. */
const AMOUNTS: Readonly<Record<string, string>> = {
  liquidityUsd: '18250.5',
  volumeUsd: '402311.07',
  volume24hUsd: '55310.2',
  minSize: '5',
  tickSize: '0.01',
  takerFeeRate: '0.07',
  strike: '97000.5',
  minimumUsd: '2',
  priceUsd: '1',
  valueUsd: '25',
  totalUsd: '1025',
  usd: '25',
  yes: '1',
  no: '0',
  amount: '25',
  shares: '10.63',
  size: '10.63',
  filledShares: '10.63',
  reversedShares: '0',
  provisionalShares: '0',
  reservedShares: '0',
  settledShares: '10.63',
  settled: '900',
  provisional: '0',
  reserved: '25',
  available: '875',
  balance: '25',
  bid: '0.46',
  ask: '0.48',
  probability: '0.47',
  price: '0.47',
  averagePrice: '0.47',
  currentPrice: '0.48',
  realizedPnl: '1.25',
  unrealizedPnl: '0.11',
  fees: '0.12',
  cost: '5',
  value: '5.1',
  worth: '5.1',
  maxOrderSize: '100',
  maxTotalExposure: '1000',
  maxDailyLoss: '50',
};

/** Returns an example of a schema. */
export type Examples = (schema: unknown) => unknown;

/**
 * What examples are made from: the document's schemas, and what fields, or whole schemas whose
 * fields depend on each other, usually hold.
 */
interface Samples {
  readonly shared: SharedSchemas;
  readonly byName: Readonly<Record<string, unknown>>;
}

/**
 * Returns what makes examples: what a schema itself shows, else what fields of its name hold (as
 * the first venue says that has such fields), else the plainest value of its type. A test holds
 * each example to the schema it is of.
 */
export function examplesOf(shared: SharedSchemas, venues: readonly VenueApi[]): Examples {
  const byName = Object.assign(
    {},
    ...[...venues].reverse().map((venue) => venue.examples),
    BY_NAME,
  );
  return (schema) => exampleOf(schema, { shared, byName }, '', 0);
}

function exampleOf(schema: unknown, samples: Samples, name: string, depth: number): unknown {
  const { shared, byName } = samples;
  if (typeof schema !== 'object' || schema === null || depth > DEPTH_MAXIMUM) return null;
  if (byName[name] === null && allowsNull(schema as JsonSchema)) return null;
  const {
    $ref,
    examples,
    const: constant,
    default: usual,
    enum: values,
    anyOf,
    oneOf,
    allOf,
    type,
    properties,
    items,
  } = schema as JsonSchema;
  if ($ref !== undefined) {
    const component = $ref.replace('#/components/schemas/', '');
    return byName[component] ?? exampleOf(shared[component], samples, name, depth + 1);
  }
  if (name in AMOUNTS && examples?.[0] !== undefined) return AMOUNTS[name];
  if (examples?.[0] !== undefined) return examples[0];
  if (constant !== undefined) return constant;
  if (usual !== undefined) return usual;
  if (values !== undefined) return values.includes(byName[name]) ? byName[name] : values[0];
  const choice = (anyOf ?? oneOf ?? allOf)?.find((each) => (each as JsonSchema).type !== 'null');
  if (choice !== undefined) return exampleOf(choice, samples, name, depth + 1);
  const kind = Array.isArray(type)
    ? type.find((each) => each !== 'null')
    : type === 'null'
      ? undefined
      : type;
  if (kind === 'object')
    return Object.fromEntries(
      Object.entries(properties ?? {}).map(([key, member]) => [
        key,
        exampleOf(member, samples, key, depth + 1),
      ]),
    );
  if (kind === undefined && type !== undefined) return null;
  if (kind === 'array')
    return items === undefined ? [] : [exampleOf(items, samples, name, depth + 1)];
  return leafOf(kind, name, byName[name] ?? AMOUNTS[name]);
}

function allowsNull({ type, anyOf = [] }: JsonSchema): boolean {
  return (
    type === 'null' ||
    (Array.isArray(type) && type.includes('null')) ||
    anyOf.some((each) => allowsNull(each as JsonSchema))
  );
}

/** Deepest nesting of our schemas, and a bound should one ever name itself. */
const DEPTH_MAXIMUM = 24;

interface JsonSchema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
  readonly allOf?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
}

function leafOf(kind: string | undefined, name: string, usual: unknown): unknown {
  if (kind === 'integer')
    return Number.isInteger(usual) ? usual : name.endsWith('AtMs') ? AT_MS : 3;
  if (kind === 'number')
    return typeof usual === 'number' ? usual : Number.isFinite(Number(usual)) ? Number(usual) : 1.5;
  if (kind === 'boolean') return typeof usual === 'boolean' ? usual : true;
  if (kind === 'string') return typeof usual === 'string' ? usual : name;
  return usual ?? null;
}
