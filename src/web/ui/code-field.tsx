import { Field } from './form.tsx';

/** Why a button cannot be pressed yet; null once all six digits are there. */
export function whyNoCode(code: string): string | null {
  return code.length === 6 ? null : 'Type the code that was sent to your phone.';
}

/** Six digits that were sent to a phone. */
export function CodeField({
  value,
  fault = null,
  onChange,
}: {
  readonly value: string;
  readonly fault?: string | null;
  onChange(digits: string): void;
}) {
  return (
    <Field
      label="Code from your phone"
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus
      required
      maxLength={6}
      value={value}
      fault={fault}
      onChange={(event) => onChange(event.target.value.replace(/\D/g, '').slice(0, 6))}
    />
  );
}
