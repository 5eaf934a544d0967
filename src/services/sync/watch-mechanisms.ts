import type { UserId } from '../../domain/ids.ts';
import type { OrderGateway } from '../../ports/order-gateway.ts';

type UserListener = Parameters<OrderGateway['watch']>[1];

/**
 * Hears a user at every mechanism of a venue as on one channel: connected once all are, lost with
 * the first that is. What it returns ends all.
 */
export function watchMechanisms(
  gateways: readonly Pick<OrderGateway, 'watch'>[],
  userId: UserId,
  listener: UserListener,
): () => void {
  const connected = new Set<number>();
  const ends: (() => void)[] = [];
  let isOver = false;
  const end = (): void => {
    isOver = true;
    ends.splice(0).forEach((endOne) => endOne());
  };
  for (const [index, gateway] of gateways.entries()) {
    if (isOver) break;
    ends.push(
      gateway.watch(userId, {
        next(event) {
          if (isOver) return;
          if (event.kind === 'connected') connected.add(index);
          if (event.kind !== 'connected' || connected.size === gateways.length)
            listener.next(event);
        },
        error(cause) {
          if (isOver) return;
          end();
          listener.error(cause);
        },
      }),
    );
  }
  if (isOver) end();
  return end;
}
