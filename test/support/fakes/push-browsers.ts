import type { PushSubscription } from '../../../src/ports/push.ts';
import type { ShownMessage } from '../../../src/sandbox/identity/push/push.ts';

/** Subscribes a browser of the sandbox's push service. */
export async function subscribeBrowser(
  url: string,
  applicationServerKey: string,
): Promise<PushSubscription> {
  const response = await fetch(`${url}/browsers`, {
    method: 'POST',
    body: JSON.stringify({ applicationServerKey }),
  });
  // the server's own form
  const { subscription } = (await response.json()) as { subscription: PushSubscription };
  return { endpoint: subscription.endpoint, keys: subscription.keys };
}

/** The browser's name there. */
export function browserOf({ endpoint }: PushSubscription): string {
  return endpoint.slice(endpoint.lastIndexOf('/') + 1);
}

/** What a browser shows; with `every`, what it was ever sent. */
export async function messagesOf(
  url: string,
  subscription: PushSubscription,
  every = false,
): Promise<readonly ShownMessage[]> {
  const response = await fetch(
    `${url}/browsers/${browserOf(subscription)}/messages${every ? '?every' : ''}`,
  );
  // the server's own form
  return ((await response.json()) as { messages: readonly ShownMessage[] }).messages;
}
