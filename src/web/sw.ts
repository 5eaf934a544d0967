/**
 * The service worker: shows what the daemon pushes, and leads a click to it. It keeps no answer of
 * any call, since old money is worse than none.
 */

/** What the daemon pushes (`src/services/notifications`): the words are shown as they are. */
interface Pushed {
  readonly id: string;
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
      readonly notification: { readonly data: unknown; close(): void };
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
      options: {
        readonly body: string;
        readonly tag: string;
        readonly timestamp: number;
        readonly data: string;
      },
    ): Promise<void>;
  };
}

const worker = globalThis as unknown as Worker;
const NOTIFICATIONS = '/activity/notifications';

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('push', (event) => {
  const { id, title, body, tag, atMs } = read(event.data);
  const options = { body, tag, timestamp: atMs, data: id };
  event.waitUntil(worker.registration.showNotification(title, options));
});
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openNotification(String(event.notification.data)));
});

/** Leads an open tab to what a notification tells of, or opens one; the page finds its place. */
async function openNotification(id: string): Promise<void> {
  const path = id === '' ? NOTIFICATIONS : `${NOTIFICATIONS}?open=${encodeURIComponent(id)}`;
  const [tab] = await worker.clients.matchAll({ type: 'window' });
  if (tab === undefined) {
    await worker.clients.openWindow(path);
    return;
  }
  await tab.navigate(path);
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
    id: '',
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
    'id' in value &&
    typeof value.id === 'string' &&
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
