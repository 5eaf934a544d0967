import { encode } from 'uqr';
import styles from './qr-code.module.css';

/** A QR code of a text, drawn as one path; dark on white in both themes, as readers want it. */
export function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 0 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <div className={styles['code']}>
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR code of ${text}`}>
        <path d={path} fill="#000" shapeRendering="crispEdges" />
      </svg>
    </div>
  );
}
