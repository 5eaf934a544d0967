import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

const SHOWN_MS = 1_500;

/** Copies a text, and says for a moment that it did. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button
      isSmall
      variant="plain"
      aria-label={isCopied ? 'Copied' : `Copy ${what}`}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      {isCopied ? (
        <Check size={15} aria-hidden="true" />
      ) : (
        <CopyIcon size={15} aria-hidden="true" />
      )}
    </Button>
  );
}
