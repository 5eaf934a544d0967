import { describe, expect, it } from 'vitest';
import { NOTIFICATION } from '../../config/limits/notification.ts';
import {
  asId,
  type Address,
  type DepositId,
  type TransactionId,
  type MarketId,
  type IntentId,
  type LaunchId,
  type SwapId,
  type TokenId,
  type RegistryEntryId,
  type TradeId,
} from '../../src/domain/ids.ts';
import type { NotificationFacts } from '../../src/domain/notification.ts';
import {
  notificationAbout,
  notificationLevel,
  notificationText,
} from '../../src/domain/notification-table.ts';
import { shareMicros, usdcMicros } from '../../src/domain/units.ts';

const usd = (amount: number) => usdcMicros(Math.round(amount * 1_000_000));
const MARKET = {
  marketId: asId<MarketId>('0xm'),
  question: 'Will it rain?',
  outcomeLabel: 'Yes',
};
const IN_MARKET = ['“Yes”', 'Market: “Will it rain?”'] as const;
const TRADE = {
  kind: 'trade',
  agentId: null,
  purpose: null,
  intentId: asId<IntentId>('int_1'),
  side: 'buy',
  shares: shareMicros(3_000_000),
  usdc: usd(1),
  fee: usd(0.02),
  ...MARKET,
} as const;
const ENDED = {
  intentId: TRADE.intentId,
  side: 'buy',
  filledShares: shareMicros(1_000_000),
  shares: shareMicros(4_000_000),
  ...MARKET,
} as const;
const POSITION = { agentId: null, tokenId: asId<TokenId>('7001'), ...MARKET } as const;
const MOVED = {
  transactionId: asId<TransactionId>('txn_1'),
  usdc: usd(7.5),
  token: asId<Address>('0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'),
  transactionHash: null,
} as const;
const PAYMENT = {
  kind: 'deposit_failed',
  depositId: asId<DepositId>('dep_1'),
  address: '0xdeposit',
  chainId: '8453',
  tokenAddress: '0xtoken',
  amount: '1000',
} as const;
const SENT = {
  transactionId: MOVED.transactionId,
  chain: 'BASE',
  symbol: 'WETH',
  amount: '0.25',
  to: '0xrecipient',
  transactionHash: null,
} as const;
const SWAP = {
  kind: 'swap_ended',
  swapId: asId<SwapId>('swp_1'),
  from: 'BASE',
  to: 'SOLANA',
  sold: '2',
  sellSymbol: 'WETH',
  buySymbol: 'USDC',
  reason: null,
} as const;
const LAUNCH = {
  kind: 'launch_ended',
  launchId: asId<LaunchId>('lch_1'),
  name: 'Rain',
  symbol: 'RN',
  mint: 'Mint111',
} as const;
const ENTRY = {
  kind: 'registry_ended',
  entryId: asId<RegistryEntryId>('reg_1'),
  asset: 'Asset111',
} as const;
const DISPUTE = { asset: 'usdc:safe', refusals: 2, retryAtMs: 5 } as const;
const ASKED = {
  kind: 'confirmation_asked',
  confirmationId: 'cnf_1',
  usdc: usd(12),
  shares: shareMicros(9_000_000),
  expiresAtMs: 5,
} as const;

const textOf = (facts: NotificationFacts) => notificationText(facts, NOTIFICATION);

describe('a notification in words', () => {
  it.each<[NotificationFacts, title: string, body: readonly string[]]>([
    [TRADE, 'You bought shares', ['3 ×', 'at 33.33¢ for $1.00, fee $0.02', ...IN_MARKET]],
    [
      { ...TRADE, feeShares: shareMicros(30_000) },
      'You bought shares',
      ['fee 0.03 of these shares', ...IN_MARKET],
    ],
    [
      { ...TRADE, usdc: usd(938.8543), shares: shareMicros(1_528_770_000), fee: usd(0.0042) },
      'You bought shares',
      ['1528.77 ×', 'at 61.41¢ for $938.85, fee $0.0042'],
    ],
    [{ ...TRADE, side: 'sell' }, 'You sold shares', IN_MARKET],
    [{ ...TRADE, agentId: 'btc_5min', purpose: 'entry' }, 'BTC 5-minute bought shares', IN_MARKET],
    [
      { ...ENDED, kind: 'order_cancelled', reason: 'market halted' },
      'The venue cancelled an order of yours',
      ['1 of 4 ×', 'The venue ended it.', ...IN_MARKET],
    ],
    [
      { ...ENDED, kind: 'order_rejected', reason: 'no balance' },
      'not taken',
      ['1 of 4 ×', 'The venue refused it.', ...IN_MARKET],
    ],
    [
      {
        kind: 'trade_reversed',
        intentId: ENDED.intentId,
        tradeId: asId<TradeId>('t1'),
        side: 'buy',
        shares: ENDED.shares,
        usdc: usd(2),
        ...MARKET,
      },
      'A trade was taken back',
      ['4 ×', 'for $2.00', ...IN_MARKET],
    ],
    [
      { ...POSITION, kind: 'position_redeemed', realizedPnl: usd(-0.07), paidUsdc: usd(2.5) },
      'A position was paid: 2.5 USDC',
      ['“Yes”: your result is −$0.07.', ...IN_MARKET],
    ],
    [
      { ...POSITION, kind: 'position_redeemed', realizedPnl: usd(0), paidUsdc: usd(1) },
      'A position was paid: 1 USDC',
      ['“Yes”: your result is $0.'],
    ],
    [
      // made before what was paid was kept
      { ...POSITION, kind: 'position_redeemed', realizedPnl: usd(1.5) },
      'A position was paid',
      ['“Yes”: your result is +$1.50.'],
    ],
    [
      { ...POSITION, kind: 'position_lost', realizedPnl: usd(-3) },
      'A position was lost: −$3.00',
      IN_MARKET,
    ],
    [
      { ...POSITION, kind: 'position_removed', realizedPnl: usd(-3) },
      'Shares are no longer in your wallet',
      IN_MARKET,
    ],
    [
      {
        ...POSITION,
        kind: 'shares_arrived',
        shares: shareMicros(2_000_000),
        cashAccount: 'usdc:base',
        transactionHash: '0x1',
      },
      'Shares came to your wallet',
      ['2 shares of', 'came to your wallet on Base past this service', 'at no cost', ...IN_MARKET],
    ],
    [
      {
        ...POSITION,
        kind: 'shares_departed',
        shares: shareMicros(2_000_000),
        cashAccount: 'usdc:base',
        transactionHash: '0x1',
      },
      'Shares left your wallet by your own key',
      ['2 shares of', 'left your wallet on Base', 'another person has your private key'],
    ],
    [
      {
        ...POSITION,
        kind: 'payout_taken_back',
        usdc: usd(5),
        cashAccount: 'usdc:base',
        transactionHash: '0x1',
      },
      'A payout was taken back',
      [
        '5 USDC',
        'are in your wallet on Base no more',
        'the chain took back the block',
        'claimed again',
        ...IN_MARKET,
      ],
    ],
    [
      { kind: 'deposit_booked', usdc: usd(5), cashAccount: 'usdc:base' },
      'A deposit came in',
      ['5 USDC', 'wallet on Base'],
    ],
    [
      { kind: 'deposit_booked', usdc: usd(5), cashAccount: 'usdc:safe' },
      'A deposit came in',
      ['5 pUSD in your Safe'],
    ],
    [
      { kind: 'deposit_taken_back', usdc: usd(5), cashAccount: 'usdc:base' },
      'A deposit was taken back',
      ['5 USDC are in your wallet on Base no more', 'the chain took back the block'],
    ],
    [
      { ...PAYMENT, state: 'detected', problem: 'below_minimum' },
      'A deposit was not credited',
      ['What was sent to 0xdeposit is not in your Safe.', 'less than the least', 'will not be'],
    ],
    [
      { ...PAYMENT, state: 'failed', problem: null },
      'A deposit was not credited',
      ['The bridge reports that it failed', 'stays with the bridge'],
    ],
    [
      { kind: 'money_departed', usdc: usd(5), cashAccount: 'usdc:safe' },
      'Money left your Safe by your own key',
      ['5 pUSD left', 'another person has your private key'],
    ],
    [
      { kind: 'departure_taken_back', usdc: usd(5), cashAccount: 'usdc:base' },
      'Money that had left your wallet on Base is back',
      [
        '5 USDC are in your wallet on Base again',
        'the chain took back the block',
        'no new deposit',
      ],
    ],
    [
      {
        kind: 'token_arrived',
        chain: 'BASE',
        token: null,
        symbol: 'ETH',
        amount: '0.5',
        transactionHash: null,
      },
      'A deposit came in',
      ['0.5 ETH', 'on Base'],
    ],
    [
      { ...MOVED, kind: 'withdrawal_settled', reason: null },
      'A withdrawal arrived',
      ['7.5 USDC.e in your wallet'],
    ],
    [
      { ...MOVED, kind: 'withdrawal_returned', reason: 'reverted' },
      'A withdrawal was given back',
      [
        '7.5 pUSD are in your balance',
        'The chain ran it and took everything back; nothing but fees has moved.',
      ],
    ],
    [
      { ...MOVED, kind: 'transfer_settled', reason: null },
      'A transfer to your Safe arrived',
      ['7.5 pUSD can be traded with.'],
    ],
    [
      { ...MOVED, kind: 'transfer_failed', reason: 'reverted' },
      'A transfer to your Safe failed',
      ['7.5 USDC.e.', 'The chain ran it and took everything back; nothing but fees has moved.'],
    ],
    [
      { ...SENT, kind: 'send_settled', reason: null },
      'A transfer has left your wallet',
      ['0.25 WETH', '0xrecipient', 'If it was not you'],
    ],
    [
      { ...SENT, kind: 'send_failed', reason: 'no gas' },
      'A transfer was not made',
      ['0.25 WETH', '0xrecipient', 'The chain refused it.'],
    ],
    [
      { ...SWAP, state: 'completed', received: '6000' },
      'A swap is done',
      ['2 WETH on Base for 6000 USDC on Solana'],
    ],
    [{ ...SWAP, state: 'failed', received: null }, 'A swap was not made', ['for no USDC']],
    [
      { ...SWAP, state: 'refunded', received: '1.9', buySymbol: 'WETH' },
      'A swap was given back',
      ['2 WETH on Base did not go to Solana: the bridge gave 1.9 WETH back, on Base.'],
    ],
    [
      { ...LAUNCH, state: 'launched', reason: null },
      'Your token is launched',
      ['Rain (RN)', 'Mint111'],
    ],
    [
      { ...LAUNCH, state: 'failed', reason: 'no SOL' },
      'Your token was not launched',
      ['Rain (RN)', 'nothing but a fee', 'The chain refused it.'],
    ],
    [
      { ...ENTRY, state: 'recorded', agentId: null, reason: null },
      'The agent registry has it',
      ['Your feedback on Asset111'],
    ],
    [
      { ...ENTRY, state: 'failed', agentId: 'eth_15min', reason: 'no SOL' },
      'The agent registry does not have it',
      ['The entry of ETH 15-minute', 'The chain refused it.'],
    ],
    [
      { ...DISPUTE, kind: 'funds_disputed', reason: 'not enough balance' },
      'The venue does not find funds of yours',
      ['paused', 'The venue finds too little money, or too few shares, for it in your account.'],
    ],
    [
      { ...DISPUTE, kind: 'funds_agreed', reason: '' },
      'The venue finds your funds again',
      ['Trading goes on.'],
    ],
    [
      {
        kind: 'agents_stopped',
        agents: [
          { agentId: 'btc_5min', policy: 'keep' },
          { agentId: 'eth_15min', policy: 'close' },
        ],
      },
      'Your agents were stopped',
      ['BTC 5-minute: orders and positions are kept. ETH 15-minute: open orders are cancelled,'],
    ],
    [
      {
        kind: 'agents_stopped',
        agents: [
          { agentId: 'btc_5min', policy: 'close', openOrders: 2, positions: 1 },
          { agentId: 'eth_15min', policy: 'cancel_only', openOrders: 0, positions: 3 },
          { agentId: 'sol_15min', policy: 'keep', openOrders: 1, positions: 0 },
          { agentId: 'btc_15min', policy: 'close', openOrders: 0, positions: 0 },
        ],
      },
      'Your agents were stopped',
      [
        'BTC 5-minute: 2 open orders cancelled, 1 position sold. ETH 15-minute: no open orders, 3 positions kept. ' +
          'SOL 15-minute: 1 open order kept, no positions. BTC 15-minute: it had no open order and no position.',
      ],
    ],
    [
      { kind: 'agent_wound_up', agentId: 'btc_5min', policy: 'cancel_only' },
      'BTC 5-minute has come to rest',
      ['open orders are cancelled, positions kept'],
    ],
    [
      { kind: 'trading_stopped', by: 'user', reason: '' },
      'You stopped your trading',
      ['until you resume it'],
    ],
    [
      {
        kind: 'trading_stopped',
        by: 'user',
        reason: '',
        found: { openBuys: 3, areCancelled: true, positions: 1 },
      },
      'You stopped your trading',
      [
        'until you resume it. 3 open purchases are being cancelled, and you hold 1 position. What you hold',
      ],
    ],
    [
      {
        kind: 'trading_stopped',
        by: 'user',
        reason: '',
        found: { openBuys: 1, areCancelled: false, positions: 0 },
      },
      'You stopped your trading',
      ['1 open purchase stays at the venue, and you hold no positions.'],
    ],
    [
      {
        kind: 'trading_stopped',
        by: 'operator',
        reason: 'odd fills',
        found: { openBuys: 0, areCancelled: true, positions: 2 },
      },
      'Buying is stopped for you',
      ['No purchase was open, and you hold 2 positions. The reason: “odd fills”'],
    ],
    [
      { kind: 'trading_stopped', by: 'operator', reason: 'odd fills' },
      'Buying is stopped for you',
      ['“odd fills”'],
    ],
    [
      { kind: 'trading_resumed', by: 'user', reason: '', stillStoppedBy: [] },
      'You resumed your trading',
      ['Orders are taken again'],
    ],
    [
      {
        kind: 'trading_resumed',
        by: 'user',
        reason: '',
        stillStoppedBy: [],
        agentsOff: ['sol_15min', 'btc_5min'],
      },
      'You resumed your trading',
      [
        'agents that are enabled go on. Off until you enable them again: SOL 15-minute, BTC 5-minute.',
      ],
    ],
    [
      { kind: 'trading_resumed', by: 'user', reason: '', stillStoppedBy: ['operator'] },
      'You lifted your own stop',
      ['the stop of the operator is still set'],
    ],
    [
      { kind: 'trading_resumed', by: 'operator', reason: 'all well', stillStoppedBy: [] },
      'Buying goes on for you',
      ['“all well”'],
    ],
    [
      { kind: 'trading_resumed', by: 'operator', reason: 'all well', stillStoppedBy: ['user'] },
      'A stop of the operator is lifted',
      ['your own stop is still set. The reason', '“all well”'],
    ],
    [{ ...ASKED, side: 'buy' }, 'Your assistant asks before it trades', ['buy for 12 USDC']],
    [
      {
        ...ASKED,
        side: 'buy',
        market: { marketId: TRADE.marketId, question: 'Will it rain?', outcomeLabel: 'Yes' },
      },
      'Your assistant asks before it trades',
      ['buy for 12 USDC of “Yes”', 'Market: “Will it rain?”'],
    ],
    [{ ...ASKED, side: 'sell' }, 'Your assistant asks before it trades', ['sell 9 shares']],
    [
      { kind: 'key_created', keyId: 'key_1', key: 'my bot: read, trade' },
      'An API key was made',
      ['“my bot: read, trade”', 'If it was not you, revoke it'],
    ],
    [
      { kind: 'key_export_asked', phone: '+1…99' },
      'Your private key was asked for',
      ['+1…99', 'If it was not you'],
    ],
    [
      { kind: 'key_exported', wallet: 'evm', address: '0xme' },
      'A private key of yours was exported',
      ['the key of your EVM wallet, 0xme.'],
    ],
    [
      { kind: 'key_exported', wallet: 'solana', address: null },
      'A private key of yours was exported',
      ['the key of your Solana wallet.'],
    ],
  ])('says of %o what happened, and how much of what', (facts, title, parts) => {
    const text = textOf(facts);
    expect(text.title).toContain(title);
    expect(parts.filter((part) => !text.body.includes(part))).toEqual([]);
  });

  it.each<[NotificationFacts, string]>([
    [
      { ...ENDED, kind: 'order_cancelled', reason: null },
      'The venue cancelled it by itself, without saying why.',
    ],
    [
      { ...ENDED, kind: 'order_expired', reason: 'EXPIRED' },
      'Its time was over before all of it had traded.',
    ],
  ])('explains an order that ended without a word: %o', (facts, why) => {
    expect(textOf(facts).body).toBe(`1 of 4 × “Yes” were filled. ${why} Market: “Will it rain?”`);
  });

  it('names the event of a market beside its question, where that is known', () => {
    const facts = { ...ENDED, kind: 'order_expired', reason: null, eventTitle: 'Miami' } as const;
    expect(textOf(facts).body).toContain('Market: “Will it rain?” of “Miami”');
  });

  it('ends where no reason is known', () => {
    expect(textOf({ ...MOVED, kind: 'transfer_failed', reason: null }).body).toBe('7.5 USDC.e.');
  });

  it.each([
    ['withdrawal_settled', 'USDC.e'],
    ['withdrawal_returned', 'pUSD'],
    ['transfer_settled', 'pUSD'],
    ['transfer_failed', 'USDC.e'],
  ] as const)('names for programs the token that %s left where it is: %s', (kind, token) => {
    const about = notificationAbout({ ...MOVED, kind, reason: null });
    expect(about).toMatchObject({ token, tokenAddress: MOVED.token });
  });

  it('names a dollar that is not of our list, which a withdrawal may bring, as the Safe does', () => {
    const collateral = asId<Address>('0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB');
    const facts = {
      ...MOVED,
      kind: 'withdrawal_settled',
      token: collateral,
      reason: null,
    } as const;
    expect(notificationAbout(facts)).toMatchObject({ token: 'pUSD' });
  });

  it('begins with the reason where no stop is left to tell of', () => {
    const lifted = { kind: 'trading_resumed', by: 'operator', reason: 'all well' } as const;
    expect(textOf({ ...lifted, stillStoppedBy: [] }).body).toBe('The reason: “all well”');
  });

  it('quotes what others wrote as one cut line, and never in a title', () => {
    const theirs = `safe${String.fromCodePoint(0x202e)}\nevil ${'x'.repeat(300)}`;
    const quoting: readonly NotificationFacts[] = [
      { ...TRADE, question: theirs, outcomeLabel: theirs },
      { ...SWAP, state: 'failed', received: null, sellSymbol: theirs, buySymbol: theirs },
      { ...LAUNCH, state: 'launched', reason: null, name: theirs, symbol: theirs },
    ];
    for (const { title, body } of quoting.map(textOf)) {
      expect(title).not.toContain('evil');
      expect(body).toMatch(/^[^\p{Cc}\p{Cf}]*safe[^\p{Cc}\p{Cf}]*$/u);
      expect(body).not.toContain('x'.repeat(NOTIFICATION.reasonMaximumChars));
    }
  });

  it.each<NotificationFacts>([
    { ...ENDED, kind: 'order_cancelled', reason: 'evil' },
    { ...MOVED, kind: 'transfer_failed', reason: 'evil' },
    { ...DISPUTE, kind: 'funds_disputed', reason: 'evil' },
  ])('leaves out what others wrote for a reason: %o', (facts) => {
    expect(textOf(facts).body).not.toContain('evil');
  });
});

it.each([
  ['trade', 'push'],
  ['deposit_booked', 'push'],
  ['confirmation_asked', 'push'],
  ['money_departed', 'security'],
  ['key_export_asked', 'security'],
  ['key_exported', 'security'],
  ['key_created', 'security'],
  ['position_lost', 'list'],
  ['agents_stopped', 'list'],
] as const)('%s goes to the list, and to browsers as its level says: %s', (kind, level) => {
  expect(notificationLevel(kind)).toBe(level);
});
