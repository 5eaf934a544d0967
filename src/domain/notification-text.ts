import { AGENT_PROFILES, type StopPolicy } from './agent.ts';
import type { CashAccount } from './cash.ts';
import type { NotificationFacts, NotificationMarket, StoppedBy } from './notification.ts';
import type { SwapState } from './swap.ts';
import { explainDispute, explainOrder } from './order-reason.ts';
import { plainText } from './plain-text.ts';
import type { Reason } from './reason.ts';
import { explainTransaction } from './transaction-reason.ts';
import { formatDecimal, formatMicros, MICROS_PER_UNIT, mulDiv, type UsdcMicros } from './units.ts';

/** A notification in words. */
export interface NotificationText {
  /** Our own words and numbers alone. */
  readonly title: string;
  /** May quote the venue's words, as one line of plain text. */
  readonly body: string;
}

/** Most characters of quoted words. */
export interface NotificationTextLimits {
  readonly titleMaximumChars: number;
  readonly labelMaximumChars: number;
  readonly reasonMaximumChars: number;
}

/** What a user calls each of their wallets. */
const WALLETS: Readonly<Record<CashAccount, string>> = {
  'usdc:safe': 'Safe',
  'usdc:solana': 'Solana wallet',
  'usdc:base': 'wallet on Base',
};

/**
 * Puts a notification into words. What the venue wrote of a market is quoted, cut and cleaned, and
 * never becomes a title; its reasons are explained.
 */
export function notificationText(
  facts: NotificationFacts,
  limits: NotificationTextLimits,
): NotificationText {
  switch (facts.kind) {
    case 'trade': {
      const verb = facts.side === 'buy' ? 'bought' : 'sold';
      const price = formatDecimal(mulDiv(facts.usdc, MICROS_PER_UNIT, facts.shares, 'floor'), 6);
      return {
        title:
          facts.agentId === null
            ? `Your order ${verb}`
            : `${AGENT_PROFILES[facts.agentId].title} ${verb}`,
        body: `${formatMicros(facts.shares)} × “${label(facts, limits)}” at ${price} for ${formatMicros(facts.usdc)} USDC, fee ${formatMicros(facts.fee)}. ${market(facts, limits)}`,
      };
    }
    case 'order_expired':
    case 'order_cancelled':
    case 'order_rejected': {
      return {
        title: ENDED_TITLES[facts.kind],
        body: `${formatMicros(facts.filledShares)} of ${formatMicros(facts.shares)} × “${label(facts, limits)}” were filled.${sentence(explainEndedOrder(facts))} ${market(facts, limits)}`,
      };
    }
    case 'trade_reversed':
      return {
        title: 'A trade was taken back',
        body: `The venue could not settle ${formatMicros(facts.shares)} × “${label(facts, limits)}” for ${formatMicros(facts.usdc)} USDC. ${market(facts, limits)}`,
      };
    case 'position_redeemed':
      return {
        title: `A position was paid: ${signed(facts.realizedPnl)} USDC`,
        body: `“${label(facts, limits)}”. ${market(facts, limits)}`,
      };
    case 'position_lost':
      return {
        title: `A position was lost: ${signed(facts.realizedPnl)} USDC`,
        body: `“${label(facts, limits)}”. ${market(facts, limits)}`,
      };
    case 'position_removed':
      return {
        title: 'Shares are no longer in your wallet',
        body: `“${label(facts, limits)}” left it by another way than ours. ${market(facts, limits)}`,
      };
    case 'deposit_booked':
      return {
        title: 'A deposit came in',
        body: `${formatMicros(facts.usdc)} USDC in your ${WALLETS[facts.cashAccount]}.`,
      };
    case 'token_arrived':
      return {
        title: 'A deposit came in',
        body: `${facts.amount} ${plainText(facts.symbol, limits.labelMaximumChars)} in your wallet on ${facts.chain}.`,
      };
    case 'money_departed':
      return {
        title: `Money left your ${WALLETS[facts.cashAccount]} by your own key`,
        body: `${formatMicros(facts.usdc)} USDC left past this service. If it was not you, another person has your private key.`,
      };
    case 'withdrawal_settled':
      return {
        title: 'A withdrawal arrived',
        body: `${formatMicros(facts.usdc)} USDC in your wallet.${because(facts)}`,
      };
    case 'withdrawal_returned':
      return {
        title: 'A withdrawal was given back',
        body: `${formatMicros(facts.usdc)} USDC are in your balance again.${because(facts)}`,
      };
    case 'transfer_settled':
      return {
        title: 'A transfer to your Safe arrived',
        body: `${formatMicros(facts.usdc)} USDC can be traded with.${because(facts)}`,
      };
    case 'transfer_failed':
      return {
        title: 'A transfer to your Safe failed',
        body: `${formatMicros(facts.usdc)} USDC.${because(facts)}`,
      };
    case 'send_settled':
      return {
        title: 'A transfer has left your wallet',
        body: `${facts.amount} ${facts.symbol} went to ${facts.to}.${because(facts)} If it was not you, sign out everywhere and tell the operator.`,
      };
    case 'send_failed':
      return {
        title: 'A transfer was not made',
        body: `${facts.amount} ${facts.symbol} to ${facts.to} stay in your wallet.${because(facts)}`,
      };
    case 'swap_ended':
      return {
        title: SWAP_TITLES[facts.state],
        body: `${facts.sold} ${plainText(facts.sellSymbol, limits.reasonMaximumChars)} on ${facts.from} for ${facts.received ?? 'no'} ${plainText(facts.buySymbol, limits.reasonMaximumChars)} on ${facts.to}.${because(facts)}`,
      };
    case 'launch_ended': {
      const name = `${plainText(facts.name, limits.labelMaximumChars)} (${plainText(facts.symbol, limits.labelMaximumChars)})`;
      return facts.state === 'launched'
        ? { title: 'Your token is launched', body: `${name} is at ${facts.mint}.` }
        : {
            title: 'Your token was not launched',
            body: `${name}: nothing but a fee can have left your wallet.${because(facts)}`,
          };
    }
    case 'registry_ended': {
      const what =
        facts.agentId === null
          ? `Your feedback on ${facts.asset}`
          : `The entry of ${AGENT_PROFILES[facts.agentId].title}`;
      return facts.state === 'recorded'
        ? { title: 'The agent registry has it', body: `${what} is there: ${facts.asset}.` }
        : {
            title: 'The agent registry does not have it',
            body: `${what}: nothing but a fee can have left your wallet.${because(facts)}`,
          };
    }
    case 'funds_disputed':
      return {
        title: 'The venue does not find funds of yours',
        body: `Trading of them is paused.${sentence(explainDispute(facts.reason))}`,
      };
    case 'funds_agreed':
      return { title: 'The venue finds your funds again', body: 'Trading goes on.' };
    case 'agents_stopped':
      return {
        title: 'Your agents were stopped',
        body: facts.agents
          .map(({ agentId, policy }) => `${AGENT_PROFILES[agentId].title}: ${STOP_WORDS[policy]}.`)
          .join(' '),
      };
    case 'agent_wound_up':
      return {
        title: `${AGENT_PROFILES[facts.agentId].title} has come to rest`,
        body: `It was stopped, and is done: ${STOP_WORDS[facts.policy]}.`,
      };
    case 'trading_stopped':
      if (facts.by === 'user')
        return {
          title: 'You stopped your trading',
          body: 'Nothing is bought for you, manually or by agents, until you resume it. What you hold can be sold, and orders cancelled.',
        };
      return {
        title: 'Buying is stopped for you',
        body: `What you hold can be sold, and orders cancelled. The reason: “${plainText(facts.reason, limits.reasonMaximumChars)}”`,
      };
    case 'trading_resumed': {
      const still = facts.stillStoppedBy.map((by) => STILL_STOPPED[by]).join(' ');
      if (facts.by === 'user')
        return {
          title: still === '' ? 'You resumed your trading' : 'You lifted your own stop',
          body: still || 'Orders are taken again, and agents that are enabled go on.',
        };
      return {
        title: still === '' ? 'Buying goes on for you' : 'A stop of the operator is lifted',
        body: `${still === '' ? '' : `${still} `}The reason: “${plainText(facts.reason, limits.reasonMaximumChars)}”`,
      };
    }
    case 'confirmation_asked':
      return {
        title: 'Your assistant asks before it trades',
        body: `It wants to ${facts.side === 'buy' ? `buy for ${formatMicros(facts.usdc)} USDC` : `sell ${formatMicros(facts.shares)} shares`}. Confirm or refuse within five minutes.`,
      };
    case 'key_created':
      return {
        title: 'An API key was made',
        body: `“${plainText(facts.key, limits.labelMaximumChars)}” can act for you now. If it was not you, revoke it and end your other sessions.`,
      };
    case 'key_export_asked':
      return {
        title: 'Your private key was asked for',
        body: `A code was sent to ${facts.phone}. If it was not you, end your session and tell us.`,
      };
    case 'key_exported':
      return {
        title: 'A private key of yours was exported',
        body: `Wallet ${facts.wallet}${facts.address === null ? '' : `, ${facts.address}`}. Whoever has it has the funds.`,
      };
  }
}

const ENDED_TITLES = {
  order_expired: 'An order of yours has expired',
  order_cancelled: 'The venue cancelled an order of yours',
  order_rejected: 'An order of yours was not taken by the venue',
} as const;

const ENDED_STATES = {
  order_expired: 'expired',
  order_cancelled: 'cancelled',
  order_rejected: 'rejected',
} as const;

/** Explains an order that ended without its owner's wish. */
export function explainEndedOrder({
  kind,
  reason,
}: Pick<
  Extract<NotificationFacts, { readonly kind: keyof typeof ENDED_STATES }>,
  'kind' | 'reason'
>): Reason {
  return explainOrder({ state: ENDED_STATES[kind], reason, cancelWanted: false });
}

const STOP_WORDS: Readonly<Record<StopPolicy, string>> = {
  keep: 'orders and positions are kept',
  cancel_only: 'open orders are cancelled, positions kept',
  close: 'open orders are cancelled, positions sold',
};

const STILL_STOPPED: Readonly<Record<StoppedBy, string>> = {
  operator: 'Nothing is bought for you yet: the stop of the operator still stands.',
  user: 'Nothing is bought for you until you resume your trading: your own stop still stands.',
};

function because({ reason }: { readonly reason: string | null }): string {
  return sentence(explainTransaction(reason));
}

/** What explains it; what others wrote stays out of messages. */
function sentence({ reason }: Reason): string {
  return reason === null ? '' : ` ${reason}`;
}

function label(
  { outcomeLabel }: NotificationMarket,
  { labelMaximumChars }: NotificationTextLimits,
): string {
  return plainText(outcomeLabel, labelMaximumChars);
}

function market(
  { question }: NotificationMarket,
  { titleMaximumChars }: NotificationTextLimits,
): string {
  return `Market: “${plainText(question, titleMaximumChars)}”`;
}

function signed(usdc: UsdcMicros): string {
  return usdc > 0 ? `+${formatMicros(usdc)}` : formatMicros(usdc);
}

const SWAP_TITLES: Readonly<Record<SwapState, string>> = {
  queued: 'A swap waits',
  following: 'A swap is on its way',
  completed: 'A swap is done',
  refunded: 'A swap was given back',
  partial: 'A swap brought something else',
  failed: 'A swap was not made',
  unproven: 'A swap has not arrived',
};
