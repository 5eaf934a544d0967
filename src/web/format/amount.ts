/**
 * Says why what was typed is no amount to send, in a sentence for its field; null for one that is,
 * and for nothing typed yet. `most` is what there is of it; null where that is not known.
 */
export function amountFault(typed: string, most: string | null = null): string | null {
  const text = typed.trim();
  if (text === '') return null;
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(text)) return 'Write it in digits, such as 5 or 2.50.';
  if (!/[1-9]/.test(text)) return 'It has to be more than zero.';
  return most !== null && Number(text) > Number(most) ? 'It is more than you have.' : null;
}
