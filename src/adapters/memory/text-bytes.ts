/** A UTF-16 unit of text takes up to so many bytes. */
const UTF8_BYTES_MAXIMUM = 3;

/**
 * Gives the most bytes that a text of this length takes in UTF-8, for whoever makes room without
 * counting them.
 */
export function textBytesMaximum(text: string): number {
  return text.length * UTF8_BYTES_MAXIMUM;
}
