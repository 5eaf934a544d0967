import { AGENT_PROFILES, type StopPolicy } from './agent.ts';
import type { AgentId } from './ids.ts';
import type { AgentStop, FoundByStop, StoppedBy } from './notification.ts';
import { type NotificationRows, quoteMarket, quoteOutcome } from './notification-row.ts';
import { plainText } from './plain-text.ts';
import { formatMicros } from './units.ts';

const STOP_WORDS: Readonly<Record<StopPolicy, string>> = {
  keep: 'orders and positions are kept',
  cancel_only: 'open orders are cancelled, positions kept',
  close: 'open orders are cancelled, positions sold',
};

/** What a stop does with a number of orders and of positions, by its policy. */
const ORDERS_END: Readonly<Record<StopPolicy, string>> = {
  keep: 'kept',
  cancel_only: 'cancelled',
  close: 'cancelled',
};
const POSITIONS_END: Readonly<Record<StopPolicy, string>> = {
  keep: 'kept',
  cancel_only: 'kept',
  close: 'sold',
};

const WALLET_NAMES: Readonly<Record<string, string>> = { evm: 'EVM', solana: 'Solana' };

function count(number: number, one: string, many: string): string {
  return number === 1 ? `1 ${one}` : `${number === 0 ? 'no' : number} ${many}`;
}

function stopSentence({ agentId, policy, openOrders, positions }: AgentStop): string {
  const { title } = AGENT_PROFILES[agentId];
  if (openOrders === undefined || positions === undefined)
    return `${title}: ${STOP_WORDS[policy]}.`;
  if (openOrders === 0 && positions === 0) return `${title}: it had no open order and no position.`;
  const orders = openOrders === 0 ? '' : ` ${ORDERS_END[policy]}`;
  const held = positions === 0 ? '' : ` ${POSITIONS_END[policy]}`;
  return `${title}: ${count(openOrders, 'open order', 'open orders')}${orders}, ${count(positions, 'position', 'positions')}${held}.`;
}

/** What a stop of all trading found, as sentences after another; empty where that is not known. */
function foundSentences(found: FoundByStop | undefined): string {
  if (found === undefined) return '';
  const { openBuys, areCancelled, positions } = found;
  const [are, stay] = openBuys === 1 ? ['is', 'stays'] : ['are', 'stay'];
  const buys =
    openBuys === 0
      ? 'No purchase was open'
      : `${count(openBuys, 'open purchase', 'open purchases')} ${areCancelled ? `${are} being cancelled` : `${stay} at the venue`}`;
  return ` ${buys}, and you hold ${count(positions, 'position', 'positions')}.`;
}

const STILL_STOPPED: Readonly<Record<StoppedBy, string>> = {
  operator: 'Nothing is bought for you yet: the stop of the operator is still set.',
  user: 'Nothing is bought for you until you resume your trading: your own stop is still set.',
};

function offSentence(agents: readonly AgentId[]): string {
  const titles = agents.map((agentId) => AGENT_PROFILES[agentId].title).join(', ');
  return agents.length === 0 ? '' : `Off until you enable them again: ${titles}.`;
}

/** Notifications of agents, stops, assistants and keys. */
export const ACCOUNT_NOTIFICATIONS = {
  agents_stopped: {
    level: 'list',
    title: () => 'Your agents were stopped',
    body: ({ agents }) => agents.map(stopSentence).join(' '),
    about: ({ agents }) =>
      Object.fromEntries(agents.map(({ agentId, policy }) => [agentId, policy])),
  },
  agent_wound_up: {
    level: 'list',
    title: ({ agentId }) => `${AGENT_PROFILES[agentId].title} has come to rest`,
    body: ({ policy }) => `It was stopped, and is done: ${STOP_WORDS[policy]}.`,
    about: ({ agentId, policy }) => ({ agent: agentId, onStop: policy }),
  },
  trading_stopped: {
    level: 'list',
    title: ({ by }) => (by === 'user' ? 'You stopped your trading' : 'Buying is stopped for you'),
    body: ({ by, reason, found }, { reasonMaximumChars }) =>
      by === 'user'
        ? `Nothing is bought for you, manually or by agents, until you resume it.${foundSentences(found)} What you hold can be sold, and orders cancelled.`
        : `What you hold can be sold, and orders cancelled.${foundSentences(found)} The reason: “${plainText(reason, reasonMaximumChars)}”`,
    about: ({ by, reason, found }) => ({
      by,
      reason,
      ...(found === undefined ? {} : { openBuys: found.openBuys, positions: found.positions }),
    }),
  },
  trading_resumed: {
    level: 'list',
    title({ by, stillStoppedBy: { length } }) {
      if (by === 'user')
        return length === 0 ? 'You resumed your trading' : 'You lifted your own stop';
      return length === 0 ? 'Buying goes on for you' : 'A stop of the operator is lifted';
    },
    body({ by, reason, stillStoppedBy, agentsOff = [] }, { reasonMaximumChars }) {
      const still = stillStoppedBy.map((who) => STILL_STOPPED[who]).join(' ');
      if (by === 'user')
        return [
          still || 'Orders are taken again, and agents that are enabled go on.',
          offSentence(agentsOff),
        ]
          .join(' ')
          .trim();
      return `${still === '' ? '' : `${still} `}The reason: “${plainText(reason, reasonMaximumChars)}”`;
    },
    about: ({ by, reason, stillStoppedBy, agentsOff = [] }) => ({
      by,
      reason,
      stillStoppedBy: stillStoppedBy.join(' and ') || null,
      agentsOff: agentsOff.join(' and ') || null,
    }),
  },
  confirmation_asked: {
    level: 'push',
    title: () => 'Your assistant asks before it trades',
    body({ side, usdc, shares, market }, limits) {
      const what =
        side === 'buy'
          ? `buy for ${formatMicros(usdc)} USDC`
          : `sell ${formatMicros(shares)} shares`;
      const of = market === undefined ? '' : ` of ${quoteOutcome(market, limits)}`;
      const where = market === undefined ? '' : ` ${quoteMarket(market, limits)}`;
      return `It wants to ${what}${of}. Confirm or refuse within five minutes.${where}`;
    },
    about: ({ confirmationId, side, usdc, shares, expiresAtMs }) => ({
      confirmationId,
      side,
      usdc: formatMicros(usdc),
      shares: formatMicros(shares),
      endsAtMs: expiresAtMs,
    }),
  },
  key_created: {
    level: 'security',
    title: () => 'An API key was made',
    body: ({ key }, { labelMaximumChars }) =>
      `“${plainText(key, labelMaximumChars)}” can act for you now. If it was not you, revoke it and end your other sessions.`,
    about: ({ keyId }) => ({ keyId }),
  },
  key_export_asked: {
    level: 'security',
    title: () => 'Your private key was asked for',
    body: ({ phone }) =>
      `A code was sent to ${phone}. If it was not you, end your session and tell us.`,
    about: ({ phone }) => ({ phone }),
  },
  key_exported: {
    level: 'security',
    title: () => 'A private key of yours was exported',
    body: ({ wallet, address }) =>
      `It is the key of your ${WALLET_NAMES[wallet] ?? wallet} wallet${address === null ? '' : `, ${address}`}. Whoever has it has the funds.`,
    about: ({ wallet, address }) => ({ wallet, address }),
  },
} satisfies Partial<NotificationRows>;
