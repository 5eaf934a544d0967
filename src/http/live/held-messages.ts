import { API } from '../../../config/limits/api.ts';

/**
 * What a client sends while its token is checked, kept in order up to `API.socketHeldMaximum`
 * messages; null means a binary one.
 */
export class HeldMessages {
  private readonly texts: (string | null)[] = [];
  private chars = 0;

  /** Keeps a message; false when there is no place for it. */
  add(text: string | null): boolean {
    const length = text?.length ?? 0;
    const isFull = this.texts.length >= API.socketHeldMaximum;
    if (isFull || this.chars + length > API.socketHeldMaximumChars) return false;
    this.texts.push(text);
    this.chars += length;
    return true;
  }

  /** Takes the oldest message out; undefined without one. */
  next(): string | null | undefined {
    const text = this.texts.shift();
    this.chars -= text?.length ?? 0;
    return text;
  }

  /** Takes every message out, oldest first. */
  takeAll(): readonly (string | null)[] {
    this.chars = 0;
    return this.texts.splice(0);
  }
}
