import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { AssetPriceE8 } from '../../src/domain/units.ts';
import { strikeOf } from '../../streams/strike.ts';
import { usd } from '../support/fakes/fake-feeds.ts';

function setUp() {
  const captured = new Subject<AssetPriceE8>();
  const stated = new Subject<AssetPriceE8 | null>();
  const seen: string[] = [];
  const contradictions: unknown[] = [];
  strikeOf({
    captured,
    stated,
    onContradiction: (finding) => contradictions.push(finding),
  }).subscribe((finding) =>
    seen.push(
      finding.kind === 'known' ? `${finding.source} ${finding.price / 100_000_000}` : finding.kind,
    ),
  );
  return { captured, stated, seen, contradictions };
}

describe('strikeOf', () => {
  it('takes our capture, and keeps it when the venue states the same rounded', () => {
    const { captured, stated, seen, contradictions } = setUp();
    captured.next(usd(60_000.123_456));
    stated.next(usd(60_000.12));
    expect({ seen, contradictions }).toEqual({
      seen: ['unknown', 'captured 60000.123456'],
      contradictions: [],
    });
  });

  it('takes the statement of the venue where we captured nothing', () => {
    const { stated, seen } = setUp();
    stated.next(null);
    stated.next(usd(60_000));
    expect(seen).toEqual(['unknown', 'venue 60000']);
  });

  it('has no price to beat when capture and venue contradict each other, and tells it once', () => {
    const { captured, stated, seen, contradictions } = setUp();
    stated.next(usd(60_001));
    captured.next(usd(60_000));
    stated.next(usd(60_001));
    expect({ seen, contradictions }).toEqual({
      seen: ['unknown', 'venue 60001', 'contradiction'],
      contradictions: [{ kind: 'contradiction', captured: usd(60_000), stated: usd(60_001) }],
    });
  });

  it('finds its price again when the venue corrects itself', () => {
    const { captured, stated, seen } = setUp();
    captured.next(usd(60_000));
    stated.next(usd(60_001));
    stated.next(usd(60_000.01));
    expect(seen).toEqual(['unknown', 'captured 60000', 'contradiction', 'captured 60000']);
  });
});
