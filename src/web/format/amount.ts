/**
 * Says why what was typed is no amount to send, in a sentence for its field; null for one that is,
 * and for nothing typed yet.
 */
export function amountFault(typed: string): string | null {
  const text = typed.trim();
  if (text === '') return null;
  if (!/^(?:\d+\.?\d*|\.\d+)$/.test(text)) return 'Write it in digits, such as 5 or 2.50.';
  return /[1-9]/.test(text) ? null : 'It has to be more than zero.';
}
