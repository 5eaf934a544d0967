import type { FeedLink, Follower, News } from '../../../src/adapters/feed-link/feed-link.ts';
import type { Question, Subject } from '../../../src/adapters/feed-link/protocol.ts';

/** A link whose feed is the test. */
export interface FakeFeedLink extends FeedLink {
  /** Says something to all who follow. */
  say(news: News): void;
  /** Loses what is followed. */
  lose(cause: Parameters<Follower['lost']>[0]): void;
  readonly followed: readonly Subject[];
  /** Tokens whose whole books were asked for. */
  readonly wholes: string[];
  readonly asked: Question[];
  answer: unknown;
}

/** Makes a link without a wire. */
export function createFakeFeedLink(): FakeFeedLink {
  const followers = new Map<Follower, Subject>();
  const link: FakeFeedLink = {
    wholes: [],
    asked: [],
    answer: null,
    get followed() {
      return [...followers.values()];
    },
    say(news) {
      for (const follower of followers.keys()) follower.hear(news);
    },
    lose(cause) {
      const lost = [...followers.keys()];
      followers.clear();
      for (const follower of lost) follower.lost(cause);
    },
    follow(subject, follower) {
      followers.set(follower, subject);
      return {
        whole: (tokenId) => void link.wholes.push(tokenId),
        stop: () => void followers.delete(follower),
      };
    },
    async ask(question) {
      link.asked.push(question);
      return link.answer;
    },
    silentMs: () => 0,
    close: () => undefined,
  };
  return link;
}
