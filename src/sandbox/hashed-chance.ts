/**
 * Chance without a state: the same seed, stream and index always give the same number, so any
 * moment of a modelled world can be computed again after a stop, in any order (L10). Mixing after
 * the 32-bit finalizer of MurmurHash3.
 */

/**
 * A uniform number in (0, 1), never an end, from a seed, a stream of chance and a place in it (a
 * whole number up to 2^53).
 */
export function hashedUniform(seed: number, stream: number, index: number): number {
  const low = index >>> 0;
  const high = Math.floor(index / 4_294_967_296) >>> 0;
  const first = mix(mix(mix(seed ^ 0x9e3779b9) ^ stream) ^ low) ^ high;
  const a = mix(first ^ 0x85ebca6b) >>> 5;
  const b = mix(first ^ 0xc2b2ae35) >>> 6;
  return (a * 67_108_864 + b + 0.5) / 9_007_199_254_740_992;
}

/** A standard normal number, by the inverse of the normal distribution. */
export function hashedNormal(seed: number, stream: number, index: number): number {
  return inverseNormal(hashedUniform(seed, stream, index));
}

/** A stable 32-bit number of some text, to name a stream of chance. FNV-1a. */
export function streamOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) + 0x165667b1;
}

/**
 * Returns the inverse of the standard normal distribution for `p` in (0, 1), relative error below
 * 1.2e-9 (P. J. Acklam's rational fit).
 */
export function inverseNormal(p: number): number {
  if (p < 0.02425) return tailQuantile(Math.sqrt(-2 * Math.log(p)));
  if (p > 0.97575) return -tailQuantile(Math.sqrt(-2 * Math.log(1 - p)));
  const q = p - 0.5;
  const r = q * q;
  const top =
    ((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r +
      138.357751867269) *
      r -
      30.66479806614716) *
      r +
    2.506628277459239;
  const under =
    ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r +
      66.80131188771972) *
      r -
      13.28068155288572) *
      r +
    1;
  return (q * top) / under;
}

function tailQuantile(q: number): number {
  const top =
    ((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q -
      2.549732539343734) *
      q +
      4.374664141464968) *
      q +
    2.938163982698783;
  const under =
    (((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q +
      3.754408661907416) *
      q +
    1;
  return top / under;
}
