import { afterAll, describe, expect, it } from 'vitest';
import { killDaemons } from '../crash/support/daemon.ts';
import { liveThroughChaos } from './intents.ts';
import { liveOfficially } from './official.ts';
import { isClean } from './verdict.ts';

afterAll(killDaemons);

/** Mostly waits for calls that are given up and for a daemon to start. */
const RUN = { timeout: 900_000 };

describe('a real daemon behind proxies that misbehave', () => {
  it(
    'L1, L2, L4, L9: makes exactly one order of each intent, loses and guesses none, and keeps the books of the venue, over two kills',
    RUN,
    async () => {
      const { verdict, kills, blows, imbalanceGauge } = await liveThroughChaos({
        intents: 120,
        people: 12,
        kills: 2,
        seed: 'ci',
      });
      expect(verdict).toMatchObject({
        requests: 120,
        duplicatesAtVenue: 0,
        duplicatesHere: 0,
        lost: 0,
        guessed: 0,
        strangers: 0,
        ledgerDiffers: 0,
        imbalanceMicros: 0,
        brokenLaws: [],
        errors: [],
        findings: [],
      });
      expect([isClean(verdict), kills, imbalanceGauge, blows.length > 0]).toEqual([
        true,
        2,
        0,
        true,
      ]);
    },
  );

  it(
    'doubles nothing of callers of the official client without faults, so what they double is the doing of faults',
    RUN,
    async () => {
      expect(await liveOfficially({ intents: 20, people: 2, seed: 'ci', isCalm: true })).toEqual({
        requests: 20,
        taken: 20,
        duplicates: 0,
        lost: 0,
        leftOpen: 0,
      });
    },
  );
});
