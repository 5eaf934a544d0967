import { beforeAll, describe, expect, it } from 'vitest';

/** What a service worker waits for, by the event. */
type Listener = (event: Record<string, unknown>) => void;

const listeners = new Map<string, Listener>();
const shown: { readonly title: string; readonly options: Record<string, unknown> }[] = [];
const opened: string[] = [];
let tabs: { navigate(url: string): Promise<void>; focus(): Promise<void> }[] = [];

beforeAll(async () => {
  Object.assign(globalThis, {
    addEventListener: (type: string, listener: Listener) => void listeners.set(type, listener),
    registration: {
      showNotification: async (title: string, options: Record<string, unknown>) =>
        void shown.push({ title, options }),
    },
    clients: {
      matchAll: async () => tabs,
      openWindow: async (url: string) => void opened.push(url),
    },
  });
  // a script, which the types of modules do not know
  const script = '../../src/web/sw.ts';
  await import(script);
});

async function send(type: string, event: Record<string, unknown>): Promise<void> {
  let done: unknown = null;
  listeners.get(type)?.({ ...event, waitUntil: (promise: unknown) => void (done = promise) });
  await done;
}

const PUSHED = {
  id: 'ntf_7',
  tag: 'ntf_7',
  kind: 'trade',
  title: 'You bought shares',
  body: '7 Yes',
  atMs: 5,
};

describe('the service worker', () => {
  it('shows what is pushed under its tag, and keeps which notification it is', async () => {
    await send('push', { data: { json: () => PUSHED } });
    expect(shown.at(-1)).toEqual({
      title: 'You bought shares',
      options: { body: '7 Yes', tag: 'ntf_7', timestamp: 5, data: 'ntf_7' },
    });
  });

  it('shows that something happened where it cannot read what', async () => {
    await send('push', { data: { json: () => ({ title: 7 }) } });
    expect(shown.at(-1)).toMatchObject({ title: 'predictd', options: { data: '' } });
    await send('push', { data: null });
    expect(shown.at(-1)).toMatchObject({ title: 'predictd' });
  });

  it('leads a click to what the notification tells of, in an open tab or a new one', async () => {
    const click = { notification: { data: 'ntf_7', close: () => undefined } };
    await send('notificationclick', click);
    expect(opened).toEqual(['/activity/notifications?open=ntf_7']);
    const led: string[] = [];
    tabs = [
      {
        navigate: async (url) => void led.push(url),
        focus: async () => void led.push('focus'),
      },
    ];
    await send('notificationclick', click);
    expect(led).toEqual(['/activity/notifications?open=ntf_7', 'focus']);
    expect(opened).toHaveLength(1);
  });
});
