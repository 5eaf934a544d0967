/**
 * The service worker: shows what the daemon pushes, and leads a click to it. It keeps no answer of
 * any call, since old money is worse than none.
 */

/** What the daemon pushes (`src/services/notifications`): the words are shown as they are. */
interface Pushed {
  /** The same thing pushed again takes the place of the first. */
  readonly tag: string;
  readonly title: string;
  readonly body: string;
  readonly atMs: number;
}

interface Tab {
  readonly url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}

/** What of a service worker is used here: the types of pages know nothing of it. */
interface Worker {
  addEventListener(
    type: 'install' | 'activate',
    listener: (event: { waitUntil(done: Promise<unknown>): void }) => void,
  ): void;
  addEventListener(
    type: 'push',
    listener: (event: {
      readonly data: { json(): unknown } | null;
      waitUntil(done: Promise<unknown>): void;
    }) => void,
  ): void;
  addEventListener(
    type: 'notificationclick',
    listener: (event: {
      readonly notification: { close(): void };
      waitUntil(done: Promise<unknown>): void;
    }) => void,
  ): void;
  skipWaiting(): Promise<void>;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { readonly type: 'window' }): Promise<readonly Tab[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly registration: {
    showNotification(
      title: string,
      options: { readonly body: string; readonly tag: string; readonly timestamp: number },
    ): Promise<void>;
  };
}

const worker = globalThis as unknown as Worker;
const NOTIFICATIONS = '/activity/notifications';

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('push', (event) => {
  const { title, body, tag, atMs } = read(event.data);
  event.waitUntil(worker.registration.showNotification(title, { body, tag, timestamp: atMs }));
});
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openNotifications());
});

/** Leads an open tab to the list, or opens one. */
async function openNotifications(): Promise<void> {
  const [tab] = await worker.clients.matchAll({ type: 'window' });
  if (tab === undefined) {
    await worker.clients.openWindow(NOTIFICATIONS);
    return;
  }
  await tab.navigate(NOTIFICATIONS);
  await tab.focus();
}

/** A push must show something: what cannot be read says that something happened. */
function read(data: { json(): unknown } | null): Pushed {
  try {
    const pushed = data?.json();
    if (isPushed(pushed)) return pushed;
  } catch {
    // no JSON
  }
  return {
    title: 'predictd',
    body: 'Something happened. Open to see it.',
    tag: '',
    atMs: Date.now(),
  };
}

function isPushed(value: unknown): value is Pushed {
  return (
    typeof value === 'object' &&
    value !== null &&
    'title' in value &&
    typeof value.title === 'string' &&
    'body' in value &&
    typeof value.body === 'string' &&
    'tag' in value &&
    typeof value.tag === 'string' &&
    'atMs' in value &&
    typeof value.atMs === 'number'
  );
}
