import { AGENT_PROFILES } from './agent.ts';
import { cashAccountRow, isCashAccount, SAFE_CASH } from './cash.ts';
import { explainDeposit } from './deposit-reason.ts';
import { knownTokenAt } from './known-tokens.ts';
import {
  because,
  type FactsOf,
  type NotificationAbout,
  type NotificationRow,
  type NotificationRows,
  sentenceOf,
} from './notification-row.ts';
import { explainDispute } from './order-reason.ts';
import { plainText } from './plain-text.ts';
import type { SwapState } from './swap.ts';
import { explainTransaction } from './transaction-reason.ts';
import { formatMicros } from './units.ts';
import { web3Chain } from './web3-chains.ts';

type Cash = FactsOf<
  'deposit_booked' | 'deposit_taken_back' | 'money_departed' | 'departure_taken_back'
>;
type Moved = FactsOf<
  'withdrawal_settled' | 'withdrawal_returned' | 'transfer_settled' | 'transfer_failed'
>;
type Send = FactsOf<'send_settled' | 'send_failed'>;
type Dispute = FactsOf<'funds_disputed' | 'funds_agreed'>;

const SWAP_TITLES: Readonly<Record<SwapState, string>> = {
  queued: 'A swap waits',
  following: 'A swap is on its way',
  completed: 'A swap is done',
  refunded: 'A swap was given back',
  partial: 'A swap brought something else',
  failed: 'A swap was not made',
  unproven: 'A swap has not arrived',
};

/** Notifications of money and tokens that came, went, or are disputed. */
export const MONEY_NOTIFICATIONS = {
  deposit_booked: {
    level: 'push',
    title: () => 'A deposit came in',
    body: (facts) => `${dollarsOf(facts)} in your ${cashAccountRow(facts.cashAccount).name}.`,
    about: aboutCash,
  },
  deposit_taken_back: {
    level: 'push',
    title: () => 'A deposit was taken back',
    body: (facts) =>
      `${dollarsOf(facts)} are in your ${cashAccountRow(facts.cashAccount).name} no more: the chain took back the block that brought them, and did not carry it out again.`,
    about: aboutCash,
  },
  deposit_failed: {
    level: 'push',
    title: () => 'A deposit was not credited',
    body: (facts) =>
      `What was sent to ${facts.address} is not in your ${SAFE.name}. ${explainDeposit(facts) ?? ''}`,
    about: ({ depositId, address, state, problem, chainId, tokenAddress, amount }) => ({
      depositId,
      address,
      status: state,
      problem,
      chainId,
      tokenAddress,
      amountRaw: amount,
    }),
  },
  money_departed: {
    level: 'security',
    title: ({ cashAccount }) =>
      `Money left your ${cashAccountRow(cashAccount).name} by your own key`,
    body: (facts) =>
      `${dollarsOf(facts)} left past this service. If it was not you, another person has your private key.`,
    about: aboutCash,
  },
  departure_taken_back: {
    level: 'push',
    title: ({ cashAccount }) =>
      `Money that had left your ${cashAccountRow(cashAccount).name} is back`,
    body: (facts) =>
      `${dollarsOf(facts)} are in your ${cashAccountRow(facts.cashAccount).name} again: the chain took back the block in which they left, and did not carry it out again. It is no new deposit. If it was not you who sent them, another person still has your private key.`,
    about: aboutCash,
  },
  token_arrived: {
    level: 'push',
    title: () => 'A deposit came in',
    body: ({ amount, symbol, chain }, { labelMaximumChars }) =>
      `${amount} ${plainText(symbol, labelMaximumChars)} in your wallet on ${web3Chain(chain).name}.`,
    about: ({ chain, symbol, token, amount, transactionHash }) => ({
      chain,
      token: symbol,
      tokenAddress: token,
      amount,
      transactionHash,
    }),
  },
  withdrawal_settled: moved('withdrawalId', 'A withdrawal arrived', {
    where: ' in your wallet',
    tokenOf: tokenInWallet,
  }),
  withdrawal_returned: moved('withdrawalId', 'A withdrawal was given back', {
    where: ' are in your balance again',
    tokenOf: () => SAFE.token,
  }),
  transfer_settled: moved('transferId', 'A transfer to your Safe arrived', {
    where: ' can be traded with',
    tokenOf: () => SAFE.token,
  }),
  transfer_failed: moved('transferId', 'A transfer to your Safe failed', {
    where: '',
    tokenOf: tokenInWallet,
  }),
  send_settled: {
    level: 'push',
    title: () => 'A transfer has left your wallet',
    body: (facts) =>
      `${facts.amount} ${facts.symbol} went to ${facts.to}.${because(facts)} If it was not you, sign out everywhere and tell the operator.`,
    about: aboutSend,
  },
  send_failed: {
    level: 'push',
    title: () => 'A transfer was not made',
    body: (facts) =>
      `${facts.amount} ${facts.symbol} to ${facts.to} stay in your wallet.${because(facts)}`,
    about: aboutSend,
  },
  swap_ended: {
    level: 'list',
    title: ({ state }) => SWAP_TITLES[state],
    body(facts, { reasonMaximumChars }) {
      const [from, to] = [web3Chain(facts.from).name, web3Chain(facts.to).name];
      const sold = `${facts.sold} ${plainText(facts.sellSymbol, reasonMaximumChars)} on ${from}`;
      const got = `${facts.received ?? 'no'} ${plainText(facts.buySymbol, reasonMaximumChars)}`;
      return facts.state === 'refunded'
        ? `${sold} did not go to ${to}: the bridge gave ${got} back, on ${from}.`
        : `${sold} for ${got} on ${to}.${because(facts)}`;
    },
    about: (facts) => ({
      swapId: facts.swapId,
      swapState: facts.state,
      chain: facts.from,
      toChain: facts.to,
      token: facts.sellSymbol,
      amount: facts.sold,
      received: facts.received,
      receivedToken: facts.buySymbol,
      ...explainTransaction(facts.reason),
    }),
  },
  launch_ended: {
    level: 'list',
    title: ({ state }) =>
      state === 'launched' ? 'Your token is launched' : 'Your token was not launched',
    body(facts, { labelMaximumChars }) {
      const name = `${plainText(facts.name, labelMaximumChars)} (${plainText(facts.symbol, labelMaximumChars)})`;
      return facts.state === 'launched'
        ? `${name} is at ${facts.mint}.`
        : `${name}${NOT_WRITTEN}${because(facts)}`;
    },
    about: ({ launchId, state, name, symbol, mint, reason }) => ({
      launchId,
      launchState: state,
      name,
      token: symbol,
      mint,
      ...explainTransaction(reason),
    }),
  },
  registry_ended: {
    level: 'list',
    title: ({ state }) =>
      state === 'recorded' ? 'The agent registry has it' : 'The agent registry does not have it',
    body(facts) {
      const what =
        facts.agentId === null
          ? `Your feedback on ${facts.asset}`
          : `The entry of ${AGENT_PROFILES[facts.agentId].title}`;
      return facts.state === 'recorded'
        ? `${what} is there: ${facts.asset}.`
        : `${what}${NOT_WRITTEN}${because(facts)}`;
    },
    about: ({ entryId, state, agentId, asset, reason }) => ({
      entryId,
      registryState: state,
      agent: agentId,
      asset,
      ...explainTransaction(reason),
    }),
  },
  funds_disputed: {
    level: 'list',
    title: () => 'The venue does not find funds of yours',
    body: ({ reason }) => `Trading of them is paused.${sentenceOf(explainDispute(reason))}`,
    about: aboutDispute,
  },
  funds_agreed: {
    level: 'list',
    title: () => 'The venue finds your funds again',
    body: () => 'Trading goes on.',
    about: aboutDispute,
  },
} satisfies Partial<NotificationRows>;

const NOT_WRITTEN = ': nothing but a fee can have left your wallet.';

const SAFE = cashAccountRow(SAFE_CASH);

/**
 * Ticker of what is in the owner's wallet: one of the dollars of the Safe's chain, or else what
 * lies in the Safe, since nothing but those moves between the two.
 */
function tokenInWallet({ token }: Moved): string {
  return knownTokenAt(SAFE.chain, token)?.symbol ?? SAFE.token;
}

/** `tokenOf` is the ticker of what is there now; `where` says where. */
function moved(
  id: 'withdrawalId' | 'transferId',
  title: string,
  { where, tokenOf }: { readonly where: string; readonly tokenOf: (facts: Moved) => string },
): NotificationRow<Moved> {
  return {
    level: 'push',
    title: () => title,
    body: (facts) => `${formatMicros(facts.usdc)} ${tokenOf(facts)}${where}.${because(facts)}`,
    about: (facts) => ({
      [id]: facts.transactionId,
      usdc: formatMicros(facts.usdc),
      token: tokenOf(facts),
      tokenAddress: facts.token,
      ...explainTransaction(facts.reason),
      transactionHash: facts.transactionHash,
    }),
  };
}

function aboutCash({ usdc, cashAccount, transactionHash = null }: Cash): NotificationAbout {
  const { id, token } = cashAccountRow(cashAccount);
  return { usdc: formatMicros(usdc), token, wallet: id, transactionHash };
}

/** So many of the dollar that lies in the wallet. */
function dollarsOf({ usdc, cashAccount }: Cash): string {
  return `${formatMicros(usdc)} ${cashAccountRow(cashAccount).token}`;
}

function aboutSend({
  transactionId,
  chain,
  symbol,
  amount,
  to,
  reason,
  transactionHash,
}: Send): NotificationAbout {
  return {
    transferId: transactionId,
    chain,
    token: symbol,
    amount,
    to,
    ...explainTransaction(reason),
    transactionHash,
  };
}

function aboutDispute({ asset, refusals, reason, retryAtMs }: Dispute): NotificationAbout {
  return {
    asset: isCashAccount(asset) ? 'usdc' : asset,
    refusals,
    ...explainDispute(reason),
    marketRetryAtMs: retryAtMs,
  };
}
