import { call } from '../api/client.ts';
import { Problem } from '../api/problem.ts';

const WORKER = '/sw.js';

/** The one thing that this page may make an address of a script of: its service worker. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
}

let address: string | null = null;

function workerAddress(): string {
  if (address !== null) return address;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  // a browser without trusted types takes plain text
  address =
    trustedTypes === undefined
      ? WORKER
      : trustedTypes
          .createPolicy('predictd', { createScriptURL: () => WORKER })
          .createScriptURL('');
  return address;
}

/** Why this browser cannot be notified; null where it can. */
export function whyNoPush(): string | null {
  if (!isSecureContext) return 'Browsers take notifications over https alone.';
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis))
    return 'This browser takes no notifications. On an iPhone add the page to the home screen first.';
  if (Notification.permission === 'denied')
    return 'You have refused notifications of this page; the browser’s settings allow them again.';
  return null;
}

/**
 * Makes the page installable and able to receive notifications; without a worker it works all the
 * same.
 */
export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await navigator.serviceWorker.register(workerAddress()).catch(() => undefined);
}

/**
 * Subscribes this browser to notifications. Errors: `Problem`, also where the browser or its push
 * service refuses.
 */
export async function subscribe(): Promise<void> {
  const { publicKey } = await call('GET /api/user/push/vapid-key', {});
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
    .catch((cause: unknown) => {
      throw new Problem({
        status: 400,
        code: 'push_refused',
        title: 'This browser did not subscribe',
        message: cause instanceof Error ? cause.message : String(cause),
        cause,
      });
    });
  const { endpoint, keys } = subscription.toJSON();
  await call('POST /api/user/push/subscriptions', {
    body: {
      endpoint: endpoint ?? '',
      keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' },
    },
  });
}
