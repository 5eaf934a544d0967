import { isIP } from 'node:net';
import { z } from 'zod';
import { AppError } from '../src/domain/errors.ts';
import { OPERATOR_CAPS } from './limits/risk.ts';
import { SWAP } from './limits/tokens.ts';

const url = z
  .url({
    protocol: /^(https?|wss?)$/,
    error: 'an address that begins with http://, https://, ws:// or wss://',
  })
  .transform((text) => text.replace(/\/$/, ''));
/** Addresses that count to the letter: they are compared as they were registered or signed. */
const exactUrl = z
  .url({ protocol: /^https?$/, error: 'an address that begins with http:// or https://' })
  .max(1_000);
const ORIGIN_WANTED =
  'exact origins with commas between them, such as https://app.example.com,http://localhost:5173, without a path and without *';
const wholeNumber = (minimum: number, maximum: number) => {
  const wanted = `a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, wanted)
    .transform(Number)
    .pipe(z.number().min(minimum, wanted).max(maximum, wanted));
};
const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, `one of ${words.join(', ')}`);
const text = (maximum: number) =>
  z
    .string()
    .min(1, `a text of 1 to ${maximum} characters`)
    .max(maximum, `a text of 1 to ${maximum} characters`);
const evmAddress = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, '0x and 40 hex digits')
  .transform((text): `0x${string}` => `0x${text.slice(2)}`);
const hexKey = z.string().regex(/^[0-9a-fA-F]{64}$/, '64 hex digits (32 bytes)');
const listOf = (one: RegExp, what: string) =>
  z
    .string()
    .max(4_000)
    .transform((all) => all.split(','))
    .pipe(z.array(z.string().regex(one, `${what}, with commas between them`)));
const origins = z
  .string()
  .max(4_000, ORIGIN_WANTED)
  .transform((all) => all.split(','))
  .refine((all) => all.every(isOrigin), ORIGIN_WANTED);
const HOSTS_WANTED =
  'host names with commas between them, such as trade.example.com, without a port and without *';
const hosts = z
  .string()
  .max(4_000, HOSTS_WANTED)
  .transform((all) => all.toLowerCase().split(','))
  .refine(
    (all) => all.every((host) => /^[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$/.test(host)),
    HOSTS_WANTED,
  );
const PROXIES_WANTED = 'IP addresses with commas between them, such as 127.0.0.1,10.0.0.7';
const proxies = z
  .string()
  .max(4_000, PROXIES_WANTED)
  .transform((all) => all.split(',').map((address) => address.trim()))
  .refine((all) => all.every((address) => isIP(address) !== 0), PROXIES_WANTED);
const LOG_URLS_WANTED =
  'addresses of PostgreSQL with commas between them, such as postgres://predictd@127.0.0.1:5432/predictd';
const logUrls = z
  .string()
  .max(4_000, LOG_URLS_WANTED)
  .transform((all) => all.split(',').map((address) => address.trim()))
  .pipe(
    z
      .array(z.url({ protocol: /^postgres(ql)?$/, error: LOG_URLS_WANTED }))
      .min(1)
      .max(9),
  );
const FEED_URLS_WANTED =
  'addresses of feeds with commas between them, such as http://10.0.0.7:8790,http://10.0.0.8:8790';
const feedUrls = z
  .string()
  .max(4_000, FEED_URLS_WANTED)
  .transform((all) => all.split(',').map((address) => address.trim().replace(/\/$/, '')))
  .pipe(
    z
      .array(
        z
          .url({ protocol: /^https?$/, error: FEED_URLS_WANTED })
          .refine(isWithoutUser, FEED_URLS_WANTED),
      )
      .min(1)
      .max(9),
  );
const INDEXER_WANTED =
  'an address with {network} in it once, such as https://{network}.g.alchemy.com/v2';
const SIGNATURE_TYPES = { 0: 0, 2: 2, 3: 3 } as const;

const variables = {
  PREDICTD_PROFILE: oneOf('sandbox', 'live', 'test').default('sandbox'),
  PREDICTD_HOST: text(255).default('127.0.0.1'),
  PREDICTD_PORT: wholeNumber(0, 65_535).default(8787),
  PREDICTD_HTTP_SERVER: oneOf('auto', 'uws', 'node').default('auto'),
  PREDICTD_DATA: text(1_000).default('.predictd'),
  PREDICTD_LOG_URLS: logUrls.optional(),
  PREDICTD_LOG_CA_FILE: text(1_000).optional(),
  PREDICTD_LOG_CERT_FILE: text(1_000).optional(),
  PREDICTD_LOG_KEY_FILE: text(1_000).optional(),
  PREDICTD_LOG_DURABILITY: oneOf('quorum', 'storage').default('quorum'),
  PREDICTD_SHARD: wholeNumber(0, 1_023).default(0),
  PREDICTD_SHARDS: wholeNumber(1, 1_024).default(1),
  PREDICTD_ROLE: oneOf('all', 'gateway', 'feed').default('all'),
  PREDICTD_FEED_URLS: feedUrls.optional(),
  PREDICTD_LINK_SECRET: text(300).optional(),
  PREDICTD_ADVERTISE: url.optional(),
  PREDICTD_TLS_CERT_FILE: text(1_000).optional(),
  PREDICTD_TLS_KEY_FILE: text(1_000).optional(),
  PREDICTD_LOG_LEVEL: oneOf('debug', 'info', 'warn', 'error', 'silent').default('info'),
  PREDICTD_MASTER_KEY: hexKey.optional(),
  PREDICTD_MASTER_KEY_FILE: text(1_000).optional(),
  PREDICTD_MASTER_KEY_OLD: hexKey.optional(),
  PREDICTD_MASTER_KEY_OLD_FILE: text(1_000).optional(),
  PREDICTD_SIGNATURE_TYPE: z
    .enum(['0', '2', '3'], 'one of 0, 2, 3')
    .transform((word) => SIGNATURE_TYPES[word])
    .optional(),
  PREDICTD_INTERNAL_SECRET: text(300).optional(),
  PREDICTD_METRICS_ACCESS: oneOf('local', 'public').default('local'),
  PREDICTD_CORS_ORIGINS: origins.default([]),
  PREDICTD_TRUSTED_PROXIES: proxies.default([]),
  PREDICTD_OTLP_URL: url.optional(),
  PREDICTD_MCP_HOSTS: hosts.default([]),
  PREDICTD_MCP_BACKEND: url.optional(),
  PREDICTD_MCP_KEY: text(256).optional(),
  PREDICTD_CAP_ORDER_USD: wholeNumber(1, 1_000_000_000).default(OPERATOR_CAPS.orderUsd),
  PREDICTD_CAP_EXPOSURE_USD: wholeNumber(1, 1_000_000_000).default(OPERATOR_CAPS.exposureUsd),
  PREDICTD_CAP_OPEN_POSITIONS: wholeNumber(1, 100_000).default(OPERATOR_CAPS.openPositions),
  PREDICTD_CAP_DAILY_LOSS_USD: wholeNumber(1, 1_000_000_000).default(OPERATOR_CAPS.dailyLossUsd),
  PREDICTD_CAP_DAILY_OUT_USD: wholeNumber(1, 1_000_000_000).default(SWAP.dailyOutDefaultUsd),
  PREDICTD_PHONE_COUNTRIES: z
    .string()
    .regex(/^[A-Z]{2}(,[A-Z]{2})*$/, 'countries of two capital letters with commas between them')
    .optional(),
  PREDICTD_TWILIO_URL: url.optional(),
  PREDICTD_TWILIO_SERVICE: z
    .string()
    .regex(/^VA[0-9a-fA-F]{32}$/, 'VA and 32 hex digits')
    .optional(),
  PREDICTD_TWILIO_ACCOUNT: z
    .string()
    .regex(/^(AC|SK)[0-9a-fA-F]{32}$/, 'AC or SK and 32 hex digits')
    .optional(),
  PREDICTD_TWILIO_SECRET: text(200).optional(),
  PREDICTD_GOOGLE_ISSUER: exactUrl.optional(),
  PREDICTD_GOOGLE_CLIENT_ID: text(200).optional(),
  PREDICTD_GOOGLE_CLIENT_SECRET: text(200).optional(),
  PREDICTD_GOOGLE_RETURN_URL: exactUrl.optional(),
  PREDICTD_SOCIAL_DOMAIN: z
    .string()
    .regex(/^[a-z0-9.-]{1,253}(:\d{1,5})?$/, 'a host name, with a port where it has one')
    .optional(),
  PREDICTD_SOCIAL_URI: exactUrl.optional(),
  PREDICTD_SOCIAL_RPC_URL: url.optional(),
  PREDICTD_SOCIAL_RELAY_URL: url.optional(),
  PREDICTD_PUSH_CONTACT: z
    .string()
    .regex(
      /^(mailto:[^\s@]{1,100}@[^\s@]{1,150}|https:\/\/\S{1,250})$/,
      'mailto: and an address, or an https:// address',
    )
    .optional(),
  PREDICTD_PUSH_PRIVATE_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'base64url of the 32 bytes of a private key of P-256')
    .optional(),
  PREDICTD_PUSH_HOSTS: z
    .string()
    .max(2_000)
    .regex(
      /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(,(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+)*$/,
      'host names with commas between them; *. before one means every name below it',
    )
    .optional(),
  PREDICTD_SANDBOX_SPEED: wholeNumber(1, 60).default(10),
  PREDICTD_SANDBOX_SEED: wholeNumber(0, 4_294_967_295).default(1),
  PREDICTD_SANDBOX_PRICES: text(1_000).optional(),
  PREDICTD_SANDBOX_FAULTS: z.string().max(1_000, 'a text of at most 1000 characters').optional(),
  PREDICTD_CLOB_URL: url.optional(),
  PREDICTD_CLOB_MARKET_SOCKET_URL: url.optional(),
  PREDICTD_CLOB_USER_SOCKET_URL: url.optional(),
  PREDICTD_GAMMA_URL: url.optional(),
  PREDICTD_DATA_API_URL: url.optional(),
  PREDICTD_VENUE_SITE_URL: url.optional(),
  PREDICTD_RTDS_URL: url.optional(),
  PREDICTD_VENUE_B_KEY: text(500).optional(),
  PREDICTD_VENUE_B_METADATA_URL: url.optional(),
  PREDICTD_VENUE_B_METADATA_SOCKET_URL: url.optional(),
  PREDICTD_VENUE_B_TRADE_URL: url.optional(),
  PREDICTD_VENUE_B_PROOF_URL: url.optional(),
  PREDICTD_VENUE_B_PROOF_PAGE_URL: url.optional(),
  PREDICTD_VENUE_B_RETURN_URL: url.optional(),
  PREDICTD_VENUE_B_PROGRAMS: listOf(
    /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
    'addresses of programs',
  ).optional(),
  PREDICTD_VENUE_B_REGION: z
    .string()
    .regex(/^[A-Z]{2}$/, 'a country by its two letters')
    .optional(),
  PREDICTD_VENUE_B_RESTRICTED_REGIONS: listOf(
    /^[A-Z]{2}$/,
    'countries by their two letters',
  ).optional(),
  PREDICTD_VENUE_B_SPONSOR_KEY: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{64,90}$/, 'a Solana secret key in base58, 64 bytes')
    .optional(),
  PREDICTD_VENUE_B_SPONSOR_DAILY_LAMPORTS: wholeNumber(1, 1_000_000_000_000).optional(),
  PREDICTD_VENUE_B_SPONSOR_EXEC: oneOf('true', 'false').optional(),
  PREDICTD_VENUE_C_REST_URL: url.optional(),
  PREDICTD_VENUE_C_SOCKET_URL: url.optional(),
  PREDICTD_VENUE_C_IDENTITY_URL: url.optional(),
  PREDICTD_VENUE_C_EXCHANGES: listOf(/^0x[0-9a-fA-F]{40}$/, 'addresses of contracts').optional(),
  PREDICTD_VENUE_C_ADAPTERS: listOf(/^0x[0-9a-fA-F]{40}$/, 'addresses of contracts').optional(),
  PREDICTD_VENUE_C_POOL_MASTERS: listOf(/^0x[0-9a-fA-F]{40}$/, 'addresses of contracts').optional(),
  PREDICTD_VENUE_C_REGION: z
    .string()
    .regex(/^[A-Z]{2}$/, 'a country by its two letters')
    .optional(),
  PREDICTD_VENUE_C_RESTRICTED_REGIONS: listOf(
    /^[A-Z]{2}$/,
    'countries by their two letters',
  ).optional(),
  PREDICTD_VENUE_D_URL: url.optional(),
  PREDICTD_VENUE_D_KEY: text(500).optional(),
  PREDICTD_INFERENCE_URL: url.optional(),
  PREDICTD_INFERENCE_KEY: text(200).optional(),
  PREDICTD_ASSESSOR_URL: url.optional(),
  PREDICTD_ASSESSOR_KEY: text(500).optional(),
  PREDICTD_ASSESSOR_MODEL: text(200).optional(),
  PREDICTD_DATA_STREAMS_URL: url.optional(),
  PREDICTD_DATA_STREAMS_SOCKET_URL: url.optional(),
  PREDICTD_DATA_STREAMS_KEY: text(200).optional(),
  PREDICTD_DATA_STREAMS_SECRET: text(200).optional(),
  PREDICTD_EXCHANGE_URL: url.optional(),
  PREDICTD_EXCHANGE_SOCKET_URL: url.optional(),
  PREDICTD_POLYGON_RPC_URL: url.optional(),
  PREDICTD_BASE_RPC_URL: url.optional(),
  PREDICTD_ETHEREUM_RPC_URL: url.optional(),
  PREDICTD_BSC_RPC_URL: url.optional(),
  PREDICTD_ARBITRUM_RPC_URL: url.optional(),
  PREDICTD_SOLANA_RPC_URL: url.optional(),
  PREDICTD_BRIDGE_URL: url.optional(),
  PREDICTD_RELAYER_URL: url.optional(),
  PREDICTD_RELAYER_KEY: text(200).optional(),
  PREDICTD_RELAYER_SECRET: text(200).optional(),
  PREDICTD_RELAYER_PASSPHRASE: text(200).optional(),
  PREDICTD_FAUCET_URL: url.optional(),
  PREDICTD_GECKO_URL: url.optional(),
  PREDICTD_GECKO_KEY: text(200).optional(),
  PREDICTD_DEXSCREENER_URL: url.optional(),
  PREDICTD_ROUTER_URL: url.optional(),
  PREDICTD_ROUTER_KEY: text(200).optional(),
  PREDICTD_INDEXER_URL: z
    .string()
    .max(500, INDEXER_WANTED)
    .refine(isIndexer, INDEXER_WANTED)
    .transform((text) => text.replace(/\/$/, ''))
    .optional(),
  PREDICTD_INDEXER_KEY: text(200).optional(),
  PREDICTD_PINNING_URL: url.optional(),
  PREDICTD_PINNING_KEY: text(2_000).optional(),
  PREDICTD_WITHDRAWAL_TOKEN: oneOf('USDC', 'USDC.e', 'pUSD').default('USDC'),
  PREDICTD_OFFRAMP_ADDRESS: evmAddress.optional(),
};

const schema = z.object(variables);

/**
 * The environment as the daemon understands it: every `PREDICTD_…` variable, checked and defaulted.
 */
export type Environment = z.output<typeof schema>;

/** Names of all settings, for the table in config/README.md and its test. */
export const SETTING_NAMES: readonly string[] = Object.keys(variables);

/**
 * Reads the `PREDICTD_…` variables. The only reader of `process.env`; everything else gets values
 * passed in. Errors: `config_invalid` with one sentence naming the variable and what it must be;
 * unknown ones are refused.
 */
export function readEnvironment(
  source: Readonly<Record<string, string | undefined>> = process.env,
): Environment {
  const given = Object.entries(source).filter(
    ([name, value]) => name.startsWith('PREDICTD_') && value !== undefined,
  );
  const unknown = given.map(([name]) => name).filter((name) => !SETTING_NAMES.includes(name));
  if (unknown.length > 0) {
    const sentences = unknown.map(
      (name) => `${name} is not a setting of predictd${likelyMeant(name)}`,
    );
    throw new AppError(
      'config_invalid',
      `${sentences.join('; ')}; all settings are in config/README.md.`,
    );
  }
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const sentences = parsed.error.issues.map(
    (issue) => `${issue.path.join('.')} must be ${wanted(issue.path[0], issue.message)}`,
  );
  throw new AppError('config_invalid', `${sentences.join('; ')}.`);
}

/**
 * Reads them for the sandbox's world without a daemon: unless they say otherwise it has a folder of
 * its own and goes by the wall's clock. Errors: those of `readEnvironment`.
 */
export function readWorldEnvironment(): Environment {
  return readEnvironment({
    PREDICTD_DATA: '.predictd-sandbox',
    PREDICTD_SANDBOX_SPEED: '1',
    ...process.env,
  });
}

/** Returns what systemd says of the stream that is its journal; null outside of a service. */
export function journalStream(): string | null {
  return process.env['JOURNAL_STREAM'] ?? null;
}

/**
 * Reports whether a text is an origin as browsers write it: scheme, host in small letters, and the
 * port where it is not the usual one.
 */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
}

/** Reports whether an address holds no name and no password: it is logged. */
function isWithoutUser(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Reports whether a text is an address with one place for the name of a network. */
function isIndexer(text: string): boolean {
  const address = text.replace('{network}', 'network');
  return (
    address !== text &&
    !address.includes('{') &&
    /^https?:\/\//.test(address) &&
    URL.canParse(address)
  );
}

/**
 * The settings whose names differ least from `name`, where that is a slip of the pen: a swap of
 * letters counts as two.
 */
function likelyMeant(name: string): string {
  const distances = SETTING_NAMES.map((setting) => ({
    setting,
    distance: editDistance(name, setting),
  }));
  const least = Math.min(...distances.map(({ distance }) => distance));
  if (least > SLIP_LETTERS) return '';
  return `, ${distances
    .filter(({ distance }) => distance === least)
    .map(({ setting }) => setting)
    .join(' or ')} is`;
}

/** Letters that may be wrong, missing or too many in a name that was meant for a setting's. */
const SLIP_LETTERS = 2;

/** Letters to change, put in or leave out to make one text of the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wantedLetter] of [...other].entries()) {
      next.push(
        Math.min(
          (row[at] ?? 0) + (letter === wantedLetter ? 0 : 1),
          (row[at + 1] ?? 0) + 1,
          (next[at] ?? 0) + 1,
        ),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

function wanted(name: PropertyKey | undefined, message: string): string {
  return `${message}${name === 'PREDICTD_MASTER_KEY' || name === 'PREDICTD_MASTER_KEY_OLD' ? '' : ` (see the table of settings in config/README.md)`}`;
}
