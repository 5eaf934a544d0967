import { generateKeyPairSync } from 'node:crypto';
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  http,
  parseAbi,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base, polygon } from 'viem/chains';
import { expect, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ccxtExchange } from '../../peers/ccxt.ts';
import {
  createSecureClient,
  forkEnvironmentConfig,
  OrderSide,
  privateKey,
} from '../../peers/client.ts';
import { AssetType, ClobClient, OrderType, Side } from '../../peers/clob-client-v2.ts';
import { Coingecko } from '../../peers/coingecko.ts';
import { Configuration, MarketApi, ownTransport } from '../../peers/exchange-client.ts';
import { createClient, getQuote } from '../../peers/lifi.ts';
import { BuilderConfig, RelayClient } from '../../peers/relayer-client.ts';
import {
  HttpClient,
  MarketFetcher,
  OrderClient,
  OrderType as PoolOrderType,
  PortfolioFetcher,
  Side as PoolSide,
  Wallet,
} from '../../peers/pool-sdk.ts';
import { RealTimeDataClient, type Message } from '../../peers/real-time-data-client.ts';
import { peerSigner } from '../../peers/signer.ts';
import { eventually } from '../../support/eventually.ts';

/** What `predictd sandbox --json` prints, as far as clients need it. */
export interface PrintedWorld {
  readonly sandbox: {
    readonly control: string;
    readonly polygonRpc: string;
    readonly baseRpc: string;
    readonly geckoTerminal: string;
    readonly router: string;
    readonly venues: {
      readonly venue_a: Readonly<
        Record<
          | 'clobRest'
          | 'clobMarketSocket'
          | 'clobUserSocket'
          | 'dataApi'
          | 'gamma'
          | 'relayer'
          | 'rtds',
          string
        >
      >;
      readonly venue_b: { readonly contractExchangeUrl: string };
      readonly venue_c: { readonly poolRest: string; readonly poolIdentityUrl: string };
    };
  };
  readonly keys: {
    readonly relayer: {
      readonly key: string;
      readonly secret: string;
      readonly passphrase: string;
    };
  };
  readonly wallets: readonly { readonly address: Hex; readonly safe: Hex | null }[];
}

/** Signs by a publicly known test key; never fund it. */
export const BOT_KEY: Hex = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
const bot = privateKeyToAccount(BOT_KEY);
/** The venue's collateral on chain 137 (venue_a.md section 1.3). */
const COLLATERAL = '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB';
const ERC20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);
const FRIEND: Hex = '0x2222222222222222222222222222222222222222';

type Stranger = readonly [name: string, run: (world: PrintedWorld) => Promise<void>];

/**
 * A published client of other people, doing what its users do first: it needs the whole of a
 * funded wallet.
 */
export const TRADER: Stranger = [
  "venue_a's clob-client-v2 makes a key, rests, cancels, buys and sees its trade settle",
  tradeByClob,
];

/** The others. */
export const STRANGERS: readonly Stranger[] = [
  ["venue_a's newer client rests an order, lists it and cancels all", restByClient],
  ["venue_a's relayer client deploys a Safe and pays from it without coins", payByRelayer],
  ["venue_a's live price client hears prices", hearPrices],
  ["venue_b's exchange client reads markets and a book, signed", readByExchangeClient],
  ['ccxt reads markets and a book of venue_b', readByCcxt],
  ["venue_c's own client buys for money on chain 8453 and sees its shares", buyByPoolSdk],
  ["viem sends the wallet's collateral on chain 137", sendByViem],
  ["the token data's client reads rankings", readRankings],
  ["the router's kit asks for a quote", askForQuote],
];

/** An outcome with a book on both sides; the first one that has it. */
async function tradedToken(host: string): Promise<string> {
  const client = new ClobClient({ host, chain: 137, throwOnError: true });
  return eventually(async () => {
    const { data } = await client.getSamplingSimplifiedMarkets();
    for (const { tokens } of data.slice(0, 10)) {
      const token: string = tokens[0].token_id;
      const { asks, bids } = await client.getOrderBook(token);
      if (asks.length > 0 && bids.length > 0) return token;
    }
    throw new Error('no market has two sides yet');
  });
}

async function tradeByClob({ sandbox }: PrintedWorld): Promise<void> {
  const host = sandbox.venues.venue_a.clobRest;
  const common = { host, chain: 137, signer: peerSigner(BOT_KEY), throwOnError: true } as const;
  const creds = await new ClobClient(common).createOrDeriveApiKey();
  const client = new ClobClient({ ...common, creds });
  const collateral = { asset_type: AssetType.COLLATERAL } as const;
  expect(Number((await client.getBalanceAllowance(collateral)).balance)).toBeGreaterThan(900e6);
  const tokenID = await tradedToken(host);
  const resting = await client.createAndPostOrder(
    { tokenID, price: 0.01, size: 100, side: Side.BUY },
    {},
    OrderType.GTC,
  );
  expect(resting).toMatchObject({ success: true, status: 'live' });
  const open = await client.getOpenOrders();
  expect(open.map(({ id }) => id)).toContain(resting.orderID);
  expect(await client.cancelOrder({ orderID: resting.orderID })).toMatchObject({
    canceled: [resting.orderID],
  });
  // The venue delays a taker in short rounds, and what it then meets may be gone: it comes again.
  const ownTrades = await eventually(
    async () => {
      const trades = await client.getTrades();
      if (trades.length === 0)
        await client.createAndPostMarketOrder(
          { tokenID: await tradedToken(host), amount: 5, side: Side.BUY },
          {},
          OrderType.FAK,
        );
      expect(trades.map(({ status }) => status)).toContain('TRADE_STATUS_CONFIRMED');
      return trades;
    },
    { interval: 2_000 },
  );
  expect(ownTrades[0]?.trader_side).toBe('TAKER');
}

async function restByClient({ sandbox }: PrintedWorld): Promise<void> {
  const real = globalThis.WebSocket;
  // The client needs a global WebSocket, which Node 20 does not have.
  Object.assign(globalThis, { WebSocket });
  try {
    const client = await createSecureClient({
      environment: forkEnvironmentConfig({
        name: 'sandbox',
        clob: {
          rest: sandbox.venues.venue_a.clobRest,
          market: { ws: sandbox.venues.venue_a.clobMarketSocket },
          user: { ws: sandbox.venues.venue_a.clobUserSocket },
        },
        data: { rest: sandbox.venues.venue_a.dataApi },
        gamma: { rest: sandbox.venues.venue_a.gamma },
        relayer: { rest: sandbox.venues.venue_a.relayer },
        rtds: { ws: sandbox.venues.venue_a.rtds },
        rpc: sandbox.polygonRpc,
      }),
      signer: privateKey(BOT_KEY),
      wallet: bot.address,
    });
    const placed = await client.placeLimitOrder({
      tokenId: await tradedToken(sandbox.venues.venue_a.clobRest),
      price: 0.01,
      size: 100,
      side: OrderSide.BUY,
    });
    expect(placed).toMatchObject({ ok: true, status: 'live' });
    const open = await client.listOpenOrders()[Symbol.asyncIterator]().next();
    expect(open.value?.items).toMatchObject([{ price: '0.01', status: 'LIVE' }]);
    expect(await client.cancelAll()).toMatchObject({ canceled: [expect.stringMatching(/^0x/)] });
  } finally {
    Object.assign(globalThis, { WebSocket: real });
  }
}

async function payByRelayer({ sandbox, keys, wallets }: PrintedWorld): Promise<void> {
  // The client tells its progress on the console.
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const relay = new RelayClient(
    sandbox.venues.venue_a.relayer,
    137,
    peerSigner(BOT_KEY),
    new BuilderConfig({ localBuilderCreds: keys.relayer }),
  );
  const done = await (await relay.deploy()).wait();
  expect(done).toMatchObject({ type: 'SAFE-CREATE', proxyAddress: wallets[0]?.safe });
  const paid = await (
    await relay.execute([
      {
        to: COLLATERAL,
        data: encodeFunctionData({
          abi: ERC20,
          functionName: 'transfer',
          args: [FRIEND, 7_000_000n],
        }),
        value: '0',
      },
    ])
  ).wait();
  expect(paid?.state).toMatch(/^STATE_(MINED|CONFIRMED)$/);
  expect(await collateralOf(sandbox, FRIEND)).toBeGreaterThanOrEqual(7_000_000n);
}

async function hearPrices({ sandbox }: PrintedWorld): Promise<void> {
  const messages: Message[] = [];
  const rtds = new RealTimeDataClient({
    host: sandbox.venues.venue_a.rtds,
    onConnect: (connected) =>
      connected.subscribe({
        subscriptions: [
          { topic: 'crypto_prices_chainlink', type: '*', filters: '{"symbol":"btc/usd"}' },
        ],
      }),
    onMessage: (_client, message) => void messages.push(message),
  });
  rtds.connect();
  await eventually(() => expect(messages.map(({ type }) => type)).toContain('update'));
  // It reconnects for ever and has no setting against it: the socket under it is taken away.
  Reflect.set(rtds, 'connect', () => rtds);
  rtds.disconnect();
}

async function readByExchangeClient({ sandbox }: PrintedWorld): Promise<void> {
  const { privateKey: privateKeyPem, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const basePath = sandbox.venues.venue_b.contractExchangeUrl;
  const registered = await fetch(`${new URL(basePath).origin}/sandbox/api-keys`, {
    method: 'POST',
    body: JSON.stringify({ publicKey }),
  });
  const { keyId } = (await registered.json()) as { keyId: string }; // the sandbox's own words
  const api = new MarketApi(
    new Configuration({ apiKey: keyId, privateKeyPem, basePath }),
    undefined,
    ownTransport(),
  );
  const { markets } = (await api.getMarkets(20)).data;
  expect(markets.length).toBe(20);
  const { data } = await api.getMarketOrderbook(markets[0]?.ticker ?? '');
  expect(data.orderbook_fp).toHaveProperty('yes_dollars');
}

async function readByCcxt({ sandbox }: PrintedWorld): Promise<void> {
  const exchange = ccxtExchange(new URL(sandbox.venues.venue_b.contractExchangeUrl).origin);
  const [market] = await exchange.fetchMarkets();
  expect(market).toMatchObject({ active: true });
  const { bids, asks } = await exchange.fetchOrderBook(market?.id ?? '');
  expect(bids.length + asks.length).toBeGreaterThan(0);
}

async function buyByPoolSdk({ sandbox }: PrintedWorld): Promise<void> {
  const baseURL = sandbox.venues.venue_c.poolRest;
  const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
    const read: Record<string, string> = JSON.parse(await answer.text());
    return read;
  };
  const message = await (await fetch(`${baseURL}/auth/signing-message`)).text();
  const { identityToken = '' } = await post(sandbox.venues.venue_c.poolIdentityUrl, {
    account: bot.address,
    message,
    signature: await bot.signMessage({ message }),
  });
  const { tokenId = '', secret = '' } = await post(
    `${baseURL}/auth/api-tokens/derive`,
    {},
    { identity: `Bearer ${identityToken}` },
  );
  const httpClient = new HttpClient({ baseURL, hmacCredentials: { tokenId, secret } });
  const markets = new MarketFetcher(httpClient);
  const found = (await markets.getActiveMarkets({ limit: 25 })).data;
  const slug = found.find(({ automationType }) => automationType === 'manual')?.slug ?? '';
  const { tokens, venue } = await markets.getMarket(slug);
  const transport = http(sandbox.baseRpc, { retryCount: 0 });
  const wallet = createWalletClient({ account: bot, chain: base, transport });
  const hash = await wallet.writeContract({
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    abi: parseAbi(['function approve(address spender, uint256 amount) returns (bool)']),
    functionName: 'approve',
    args: [(venue?.exchange ?? '0x') as Hex, 100_000_000n], // an address
  });
  await createPublicClient({ chain: base, transport }).waitForTransactionReceipt({ hash });
  const orders = new OrderClient({ httpClient, wallet: new Wallet(BOT_KEY) });
  const bought = await orders.createOrder({
    tokenId: tokens?.yes ?? '',
    makerAmount: 5,
    side: PoolSide.BUY,
    orderType: PoolOrderType.FOK,
    marketSlug: slug,
  });
  const shares = bought.execution?.totalsRaw?.contractsNet ?? '';
  expect(Number(shares)).toBeGreaterThan(5_000_000);
  const portfolio = new PortfolioFetcher(httpClient);
  await eventually(async () => {
    const [entry] = await portfolio.getCLOBPositions();
    expect(entry?.tokensBalance.yes).toBe(shares);
  });
}

async function sendByViem({ sandbox }: PrintedWorld): Promise<void> {
  const transport = http(sandbox.polygonRpc, { retryCount: 0 });
  const before = await collateralOf(sandbox, FRIEND);
  const wallet = createWalletClient({ account: bot, chain: polygon, transport });
  const hash = await wallet.writeContract({
    address: COLLATERAL,
    abi: ERC20,
    functionName: 'transfer',
    args: [FRIEND, 1_000_000n],
  });
  await createPublicClient({ chain: polygon, transport }).waitForTransactionReceipt({ hash });
  expect(await collateralOf(sandbox, FRIEND)).toBeGreaterThan(before);
}

async function collateralOf(sandbox: PrintedWorld['sandbox'], owner: Hex): Promise<bigint> {
  return createPublicClient({
    chain: polygon,
    transport: http(sandbox.polygonRpc, { retryCount: 0 }),
  }).readContract({
    address: COLLATERAL,
    abi: ERC20,
    functionName: 'balanceOf',
    args: [owner],
  });
}

async function readRankings({ sandbox }: PrintedWorld): Promise<void> {
  const origin = new URL(sandbox.geckoTerminal).origin;
  const client = new Coingecko({ demoAPIKey: 'demo', baseURL: `${origin}/api/v3`, maxRetries: 0 });
  const { data } = await client.onchain.networks.trendingPools.getNetwork('arbitrum', {});
  expect(data?.length).toBeGreaterThan(0);
}

async function askForQuote({ sandbox }: PrintedWorld): Promise<void> {
  const client = createClient({
    integrator: 'bot',
    apiUrl: sandbox.router,
    disableVersionCheck: true,
  });
  const quote = await getQuote(client, {
    fromChain: 137,
    toChain: 137,
    fromToken: '0x0000000000000000000000000000000000000000',
    toToken: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    fromAmount: '1000000000000000000',
    fromAddress: bot.address,
  });
  expect(Number(quote.estimate.toAmount)).toBeGreaterThan(0);
}
