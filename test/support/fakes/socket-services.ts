import { asId, type Address, type SolanaAddress, type UserId } from '../../../src/domain/ids.ts';
import type { GatewayDeps } from '../../../src/http/live/gateway.ts';
import type { MissedEvents } from '../../../src/services/missed-events.ts';

/** For tests that do not ask for what was missed. */
export const NOTHING_MISSED: MissedEvents = {
  newest: () => '00000000.0',
  cursorOf: (seq) => `00000000.${seq}`,
  read: () => ({ kind: 'too_old' }),
  stop: () => undefined,
};

/** Every bearer is a user of its own with a name: signing in is not what is looked at. */
export function socketServices(): Omit<GatewayDeps['services'], 'missedEvents'> {
  const refuse = (): never => {
    throw new Error('nothing but the sockets is called');
  };
  const userOf = (token: string): UserId => asId<UserId>(`usr_${token}`);
  return {
    sessions: {
      authenticate: async (token) => ({
        userId: userOf(token),
        sessionId: 'ses_socket',
        method: 'otp',
        authenticatedAtMs: 0,
        scopes: null,
        expiresAtMs: Date.now() + 3_600_000,
      }),
      requestCode: refuse,
      requestCodeAgain: refuse,
      signInAgain: refuse,
      verifyCode: refuse,
      admitBy: refuse,
      refresh: refuse,
      logout: refuse,
      recognize: () => null,
      list: refuse,
      end: refuse,
      endOthers: refuse,
      jwks: refuse,
    },
    accounts: {
      profile: (userId) => ({
        userId,
        phoneMasked: '',
        identities: [],
        username: 'reader',
        wallets: {
          evm: asId<Address>('0x0'),
          solana: asId<SolanaAddress>('0'),
          safe: asId<Address>('0x0'),
        },
        account: 'ready',
        createdAtMs: 0,
      }),
      setUsername: refuse,
    },
    orders: {
      place: refuse,
      estimate: refuse,
      ended: refuse,
      cancel: refuse,
      cancelAll: refuse,
      get: () => null,
      listOpen: () => [],
      setStop: refuse,
      stopOf: () => null,
      isSweeping: () => false,
    },
    notifications: {
      list: () => ({ data: [], nextCursor: null, unread: 0 }),
      read: refuse,
      choice: refuse,
      choose: refuse,
    },
    transfersUnderWay: () => [],
    portfolio: {
      holdings: () => [],
      isReconciled: () => true,
      mismatches: () => [],
      disputes: () => [],
      accountAt: () => 'usdc:safe',
      cash: refuse,
      results: () => ({}),
      realizedToday: refuse,
    },
    agents: {
      list: () => [],
      view: refuse,
      updateSettings: refuse,
      enable: refuse,
      disable: refuse,
      stopAll: refuse,
      watchHealth: () => () => undefined,
      trades: refuse,
      decisions: refuse,
      decision: refuse,
      calibration: refuse,
      performance: refuse,
      performanceOfAll: refuse,
    },
  };
}
