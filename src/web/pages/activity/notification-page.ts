import type { Output } from '../../api/routes.ts';
import { AGENT_PAGES, confirmPath, marketTradesPath, PAGES } from '../../routes.ts';

/** A notification as the daemon shows it. */
export type Notification = Output<'GET /api/user/notifications/'>['data'][number];

/** Path of the page that shows what a notification tells of. */
export function pageOfNotification({ kind, about }: Pick<Notification, 'kind' | 'about'>): string {
  switch (kind) {
    case 'trade':
    case 'trade_reversed':
    case 'order_expired':
    case 'order_cancelled':
    case 'order_rejected':
      return marketTradesPath(String(about['marketId']));
    case 'position_redeemed':
    case 'position_lost':
    case 'position_removed':
    case 'payout_taken_back':
    case 'shares_arrived':
    case 'shares_departed':
    case 'funds_disputed':
    case 'funds_agreed':
      return PAGES.portfolio;
    case 'deposit_booked':
    case 'deposit_failed':
    case 'deposit_taken_back':
      return PAGES.deposit;
    case 'token_arrived':
    case 'money_departed':
    case 'departure_taken_back':
      return PAGES.wallet;
    case 'withdrawal_settled':
    case 'withdrawal_returned':
      return PAGES.withdraw;
    case 'transfer_settled':
    case 'transfer_failed':
    case 'send_settled':
    case 'send_failed':
      return PAGES.transfer;
    case 'swap_ended':
      return PAGES.swap;
    case 'launch_ended':
      return PAGES.launch;
    case 'registry_ended':
      return PAGES.registry;
    case 'confirmation_asked':
      return confirmPath(String(about['confirmationId']));
    case 'key_created':
      return PAGES.keys;
    case 'key_export_asked':
    case 'key_exported':
      return PAGES.security;
    case 'trading_resumed':
    case 'agents_stopped':
      return PAGES.agents;
    case 'agent_wound_up':
      return AGENT_PAGES[String(about['agent'])] ?? PAGES.agents;
    case 'trading_stopped':
      return PAGES.home;
  }
}

/** What the link of a notification says: of a request that is over nothing is left to confirm. */
export function linkWords({ kind, about }: Pick<Notification, 'kind' | 'about'>, nowMs: number) {
  const isOpen = kind === 'confirmation_asked' && Number(about['endsAtMs']) > nowMs;
  return isOpen ? 'Confirm or refuse' : 'Open';
}
